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
  /** What the invocation took of a processor, in milliseconds. */
  readonly computed: number;
}

export interface FunctionProcess {
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
  const told = () =>
    Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`The function ended with ${code}`))),
    ]);
  await told();
  return {
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
  const { handler } = await import(process.argv[2] ?? '');
  const loaded = held();
  process.on('message', async (event) => {
    const before = process.cpuUsage();
    const answer = await handler(event, { getRemainingTimeInMillis: () => 60_000 });
    const { user, system } = process.cpuUsage(before);
    process.send?.({ answer, loaded, peak: held(), computed: (user + system) / 1000 } satisfies Invoked);
  });
  process.send?.('loaded');
}
