import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type {
  InvocationMessage,
  ProcessMessage,
  ProcessRequest,
  WorkerMessage,
  WorkerSetup,
} from './worker-protocol.ts';

/** Receives what happens to a worker. After `onExit`, nothing more happens to it. */
export interface WorkerListener {
  readonly onResult: (result: WorkerMessage) => void;
  /** Called with each line that the function writes to its standard output or error output. */
  readonly onLine: (line: string) => void;
  readonly onError: (name: string, message: string) => void;
  readonly onExit: (code: number) => void;
}

/** A thread in the process of the workers. */
export interface WorkerThread {
  invoke(invocation: InvocationMessage): void;
  /** Starts to terminate the thread. */
  end(): void;
}

/** The end of the process is reported by an event of its own. */
const ignoreError = (): void => {};

/** Heap of the service above which memory is released: about 35 MB are used without requests. */
const RELEASE_ABOVE_BYTES = 50 * 1024 * 1024;

/** Returns memory to the system that the service used under load. V8 keeps it for a process that does nothing. */
const releaseMemory = (): void => {
  if (process.memoryUsage().heapTotal < RELEASE_ABOVE_BYTES) return;
  // `npm start` exposes the function, other programs that start the service do not.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
};

/**
 * Process in which the workers of all functions run as threads. It starts with the first worker and ends with the last,
 * because the memory of ended threads would stay with the process.
 */
export class WorkerProcess {
  readonly #listeners = new Map<number, WorkerListener>();
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #started = 0;

  /** Starts a worker. */
  start(setup: WorkerSetup, environment: Readonly<Record<string, string>>, listener: WorkerListener): WorkerThread {
    this.#child ??= this.#fork();
    const child = this.#child;
    const send = (request: ProcessRequest) => void (child.connected && child.send(request, ignoreError));
    this.#started += 1;
    const worker = this.#started;
    this.#listeners.set(worker, listener);
    send({ kind: 'start', worker, setup, environment });
    return {
      invoke: (invocation) => send({ kind: 'invoke', worker, invocation }),
      end: () => send({ kind: 'end', worker }),
    };
  }

  /** Waits until the process has ended. All workers must have ended or be ending. */
  async close(): Promise<void> {
    await this.#ended;
  }

  #fork(): ChildProcess {
    const child = fork(fileURLToPath(new URL('worker-host.ts', import.meta.url)), {
      execArgv: [],
      // Copies strings as they are. The default would escape the JSON of events once more.
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (message: ProcessMessage) => this.#receive(message, child));
    this.#ended = once(child, 'exit').then(
      ([code]) => this.#endAll(child, code ?? 1),
      () => this.#endAll(child, 1),
    );
    return child;
  }

  #receive(message: ProcessMessage, child: ChildProcess): void {
    const listener = this.#listeners.get(message.worker);
    if (message.kind === 'result') listener?.onResult(message.result);
    else if (message.kind === 'line') listener?.onLine(message.line);
    else if (message.kind === 'error') listener?.onError(message.name, message.message);
    else {
      this.#listeners.delete(message.worker);
      listener?.onExit(message.code);
      if (this.#listeners.size > 0) return;
      this.#child = undefined;
      child.disconnect();
      releaseMemory();
    }
  }

  /** Reports the end of all workers when the process ended before them. */
  #endAll(child: ChildProcess, code: number): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const { onExit } of listeners) onExit(code);
  }
}
