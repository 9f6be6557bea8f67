import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { FunctionLog } from './function-log.ts';
import type { FromWorker, FunctionFailure, ToWorker, WorkerSetup } from './worker-protocol.ts';

/** What became of one invocation. */
export type Answer =
  | { readonly kind: 'answered'; readonly payload: string }
  | ({ readonly kind: 'failed' } & FunctionFailure);

/** Lambda's own limit on loading a function. */
const START_WITHIN_MILLIS = 10_000;
/** Lambda's limit on what a function answers. */
const LARGEST_ANSWER_BYTES = 6 * 1024 * 1024;

const failed = (errorType: string, errorMessage: string): Answer => ({
  kind: 'failed',
  errorType,
  errorMessage,
  trace: [],
});

/** One execution environment of a function: a thread with its own modules, that handles one event at a time. */
export class FunctionWorker {
  /** Settles when the handler is loaded, or could not be: then with the failure. */
  readonly started: Promise<Answer | undefined>;
  readonly #worker: Worker;
  #settle: ((answer: Answer) => void) | undefined;
  #alive = true;

  /** @param onEnd called once, when the worker is no more. */
  constructor(setup: WorkerSetup, environment: Readonly<Record<string, string>>, log: FunctionLog, onEnd: () => void) {
    this.#worker = new Worker(new URL('worker.ts', import.meta.url), {
      workerData: setup,
      env: { ...environment },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: setup.memorySize },
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) copyLines(stream, setup.functionName, log);

    this.started = this.#next(START_WITHIN_MILLIS, () =>
      failed('Sandbox.Timedout', `Init phase timed out after ${START_WITHIN_MILLIS / 1_000} seconds`),
    ).then((answer) => (answer.kind === 'failed' ? answer : undefined));

    this.#worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') this.#settle?.({ kind: 'answered', payload: '' });
      else if (message.kind === 'answered') this.#settle?.(checkSize(message.payload));
      else this.#settle?.({ ...message, kind: 'failed' });
      if (message.kind === 'unusable') void this.end();
    });
    this.#worker.on('error', (error: Error) => {
      this.#alive = false;
      log.write(setup.functionName, `${error.name}: ${error.message}`);
      this.#settle?.(failed(error.name, error.message));
    });
    this.#worker.on('exit', (code) => {
      this.#alive = false;
      this.#settle?.(failed('Runtime.ExitError', `Runtime exited with error: exit status ${code}`));
      onEnd();
    });
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  /** Gives the worker an event; it must be idle. Past the timeout the worker is ended and the invocation has failed. */
  async handle(requestId: string, payload: string, timeoutMillis: number): Promise<Answer> {
    const answer = this.#next(timeoutMillis, () => {
      const seconds = (timeoutMillis / 1_000).toFixed(2);
      return failed('Sandbox.Timedout', `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`);
    });
    this.#worker.postMessage({ requestId, payload, deadline: Date.now() + timeoutMillis } satisfies ToWorker);
    return answer;
  }

  async end(): Promise<void> {
    this.#alive = false;
    await this.#worker.terminate();
  }

  #next(timeoutMillis: number, late: () => Answer): Promise<Answer> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#settle?.(late());
        void this.end();
      }, timeoutMillis);
      this.#settle = (answer) => {
        clearTimeout(timer);
        this.#settle = undefined;
        resolve(answer);
      };
    });
  }
}

const checkSize = (payload: string): Answer =>
  Buffer.byteLength(payload) <= LARGEST_ANSWER_BYTES
    ? { kind: 'answered', payload }
    : failed('Function.ResponseSizeTooLarge', 'Response payload size exceeded maximum allowed payload size');

const copyLines = (stream: Readable, functionName: string, log: FunctionLog): void => {
  createInterface({ input: stream }).on('line', (line) => log.write(functionName, line));
};
