import { readdirSync, readFileSync } from 'node:fs';

/** Duration of one tick of `/proc/<pid>/stat`, in milliseconds: every Linux that Node supports has 100 ticks a second. */
const TICK = 10;

interface ProcessStatistics {
  readonly parent: number;
  /** CPU time of all threads in user and system mode, in milliseconds. */
  readonly computed: number;
  /** CPU time of the processes that it had started and that have ended, with those that they had started. */
  readonly computedByEnded: number;
}

/** Reads `/proc/<pid>/stat` (proc_pid_stat(5)). @returns undefined when there is no such process. */
const readStatistics = (pid: number): ProcessStatistics | undefined => {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may contain spaces. Its first field after it is the third one.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const time = (user: number) => TICK * (Number(fields[user]) + Number(fields[user + 1]));
    return { parent: Number(fields[1]), computed: time(11), computedByEnded: time(13) };
  } catch {
    return undefined;
  }
};

/** Lists the processes that a process has started, and those that they have started. Empty on systems other than Linux. */
export const descendantsOf = (pid: number): number[] => {
  if (process.platform !== 'linux') return [];
  const parents = readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((child) => [[child, readStatistics(child)?.parent] as const]);
  const children = (of: number): number[] =>
    parents.flatMap(([child, parent]) => (parent === of ? [child, ...children(child)] : []));
  return children(pid);
};

/** Reports whether a process runs the workers of a local service. */
export const isWorkerProcess = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker-host.ts');
  } catch {
    return false;
  }
};

/** Returns the CPU time that a process has used, in milliseconds, in steps of 10; undefined when there is no such process. */
const cpuTimeOf = (pid: number): number | undefined => readStatistics(pid)?.computed;

/** Returns the CPU time of a process and of all that it has started, running or ended, in milliseconds, in steps of 10. */
export const cpuTimeOfTree = (pid: number): number =>
  [pid, ...descendantsOf(pid)].reduce((sum, each) => {
    const { computed = 0, computedByEnded = 0 } = readStatistics(each) ?? {};
    return sum + computed + computedByEnded;
  }, 0);

/**
 * Starts to measure the CPU time of processes.
 * @returns a function that returns the CPU time since then, in milliseconds, in steps of 10. Processes that have ended
 * meanwhile do not count.
 * @throws Error for a process that does not exist, and on systems other than Linux.
 */
export const startCpuMeter = (pids: readonly number[]): (() => number) => {
  const before = pids.map((pid): [pid: number, computed: number] => {
    const computed = cpuTimeOf(pid);
    if (computed === undefined) throw new Error(`The CPU time of process ${pid} cannot be read from /proc.`);
    return [pid, computed];
  });
  return () => before.reduce((sum, [pid, computed]) => sum + (cpuTimeOf(pid) ?? computed) - computed, 0);
};
