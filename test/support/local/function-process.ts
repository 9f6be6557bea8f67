/** Runs a bundled function in a separate process, so that its memory can be measured. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Invoked {
  // biome-ignore lint/suspicious/noExplicitAny: functions return values of any type.
  readonly answer: any;
  /** Largest memory of the process in megabytes: after loading the function, and at the end. */
  readonly loaded: number;
  readonly peak: number;
  /** Duration of the invocation, and its CPU time, in milliseconds. */
  readonly took: number;
  readonly computed: number;
  /** CPU time of the main thread, and the time for which it waited for a processor, in milliseconds; NaN except on Linux. */
  readonly ran: number;
  readonly waited: number;
}

export interface FunctionProcess {
  /** Duration of loading the function, in milliseconds. */
  readonly loading: number;
  readonly invoke: (event: object) => Promise<Invoked>;
  readonly end: () => void;
}

const program = fileURLToPath(import.meta.url);

/** Returns the options with which the runtime of Lambda starts Node: 90 percent of the memory is for old objects. */
const heapOptions = (memory: number): string[] => [
  `--max-semi-space-size=${Math.floor(memory / 20)}`,
  `--max-old-space-size=${Math.floor(memory * 0.9)}`,
];

/** Starts the process and loads the function. @param memory the memory setting of the function, in megabytes. */
export const startFunction = async (
  bundle: string,
  environment: Readonly<Record<string, string>>,
  memory: number,
): Promise<FunctionProcess> => {
  const child = fork(program, [bundle], { env: { ...environment }, execArgv: heapOptions(memory) });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The function ended with ${code}`)));
  // The rejection is handled where it is awaited. Without a waiter it must not end this process.
  ended.catch(() => undefined);
  const nextMessage = () => Promise.race([once(child, 'message'), ended]);
  const [loading] = await nextMessage();
  return {
    loading,
    invoke: async (event) => {
      child.send(event);
      const [invoked] = await nextMessage();
      return invoked;
    },
    end: () => void child.kill(),
  };
};

/** Reads the largest memory of this process. Other counters of the system include the memory of the parent process. */
const peakMemory = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

/** Reads for how long the main thread has run, and waited for a processor, in milliseconds. */
const readSchedule = (): readonly [ran: number, waited: number] => {
  try {
    const [ran, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return [Number(ran) / 1e6, Number(waited) / 1e6];
  } catch {
    return [Number.NaN, Number.NaN];
  }
};

if (import.meta.main) {
  const started = performance.now();
  const { handler } = await import(process.argv[2] ?? '');
  const loading = performance.now() - started;
  const loaded = peakMemory();
  process.on('message', async (event) => {
    const [ranBefore, waitedBefore] = readSchedule();
    const [before, began] = [process.cpuUsage(), performance.now()];
    const answer = await handler(event, { getRemainingTimeInMillis: () => 60_000 });
    const took = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    const [ran, waited] = readSchedule();
    process.send?.({
      answer,
      loaded,
      peak: peakMemory(),
      took,
      computed: (user + system) / 1000,
      ran: ran - ranBefore,
      waited: waited - waitedBefore,
    } satisfies Invoked);
  });
  process.send?.(loading);
}
