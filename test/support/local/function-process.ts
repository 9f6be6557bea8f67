/** A bundled function in a process of its own, as Lambda runs it: so that its memory is its own as well. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Invoked {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly answer: any;
  /** The most memory that the process ever held, in megabytes: once it was loaded, and in the end. */
  readonly loaded: number;
  readonly peak: number;
  /** What the invocation took, and how much of that it took of a processor, in milliseconds. */
  readonly took: number;
  readonly computed: number;
}

export interface FunctionProcess {
  /** What loading the function took, in milliseconds. */
  readonly loading: number;
  readonly invoke: (event: object) => Promise<Invoked>;
  readonly end: () => void;
}

const program = fileURLToPath(import.meta.url);

/** Starts the process and loads the function. @param memory what Lambda gives it, in megabytes. */
export const startFunction = async (
  bundle: string,
  environment: Readonly<Record<string, string>>,
  memory: number,
): Promise<FunctionProcess> => {
  const child = fork(program, [bundle], { env: { ...environment }, execArgv: [`--max-old-space-size=${memory}`] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The function ended with ${code}`)));
  // Whoever waits hears of it; nobody may be waiting.
  ended.catch(() => undefined);
  const told = () => Promise.race([once(child, 'message'), ended]);
  const [loading] = await told();
  return {
    loading,
    invoke: async (event) => {
      child.send(event);
      const [invoked] = await told();
      return invoked;
    },
    end: () => void child.kill(),
  };
};

/** The high-water mark of its own memory; what the system counts otherwise begins with that of who forked it. */
const held = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

if (import.meta.main) {
  const started = performance.now();
  const { handler } = await import(process.argv[2] ?? '');
  const loading = performance.now() - started;
  const loaded = held();
  process.on('message', async (event) => {
    const [before, began] = [process.cpuUsage(), performance.now()];
    const answer = await handler(event, { getRemainingTimeInMillis: () => 60_000 });
    const took = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    process.send?.({ answer, loaded, peak: held(), took, computed: (user + system) / 1000 } satisfies Invoked);
  });
  process.send?.(loading);
}
