import type { FunctionLog } from './function-log.ts';
import type { WorkerProcess, WorkerThread } from './worker-process.ts';
import type { FunctionError, MessageKind, WorkerSetup } from './worker-protocol.ts';

/** Result of an invocation that reached a worker. */
export type InvocationResult =
  | { readonly kind: 'succeeded'; readonly payload: string }
  | ({ readonly kind: 'failed' } & FunctionError);

/**
 * Time after which a handler that is still loading counts as hanging. Lambda allows 10 seconds, but a computer that is busy
 * with something else may need longer, and that must not fail a request or an event.
 */
const INIT_TIMEOUT_MILLIS = 10 * 60_000;
/** Limit of Lambda on a response. */
const MAX_RESPONSE_BYTES = 6 * 1024 * 1024;

const failed = (errorType: string, errorMessage: string): InvocationResult => ({
  kind: 'failed',
  errorType,
  errorMessage,
  trace: [],
});

/** One execution environment of a function: a thread with its own modules that handles one event at a time. */
export class FunctionWorker {
  /** Resolves when the handler is loaded; with the error when it cannot be loaded. */
  readonly started: Promise<InvocationResult | undefined>;
  readonly #thread: WorkerThread;
  readonly #exit = Promise.withResolvers<void>();
  #settle: ((result: InvocationResult) => void) | undefined;
  #alive = true;

  /** @param onExit called once, when the thread has ended. */
  constructor(
    workers: WorkerProcess,
    setup: WorkerSetup,
    environment: Readonly<Record<string, string>>,
    log: FunctionLog,
    onExit: () => void,
  ) {
    this.started = this.#nextResult(INIT_TIMEOUT_MILLIS, () =>
      failed('Sandbox.Timedout', `Init phase timed out after ${INIT_TIMEOUT_MILLIS / 1_000} seconds`),
    ).then((result) => (result.kind === 'failed' ? result : undefined));

    this.#thread = workers.start(setup, environment, {
      onMessage: (kind, content) =>
        kind === 'line' ? log.write(setup.functionName, content) : this.#onResult(kind, content),
      onError: (name, message) => {
        this.#alive = false;
        log.write(setup.functionName, `${name}: ${message}`);
        this.#settle?.(failed(name, message));
      },
      onExit: (code) => {
        this.#alive = false;
        this.#settle?.(failed('Runtime.ExitError', `Runtime exited with error: exit status ${code}`));
        this.#exit.resolve();
        onExit();
      },
    });
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  /** Handles an event. The worker must be idle. After the timeout, the worker is terminated and the invocation fails. */
  async handle(requestId: string, payload: string, timeoutMillis: number): Promise<InvocationResult> {
    const result = this.#nextResult(timeoutMillis, () => {
      const seconds = (timeoutMillis / 1_000).toFixed(2);
      return failed('Sandbox.Timedout', `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`);
    });
    this.#thread.invoke({ requestId, payload, deadline: Date.now() + timeoutMillis });
    return result;
  }

  async end(): Promise<void> {
    this.#alive = false;
    this.#thread.end();
    await this.#exit.promise;
  }

  #onResult(kind: MessageKind, content: string): void {
    if (kind === 'ready') this.#settle?.({ kind: 'succeeded', payload: '' });
    else if (kind === 'succeeded') this.#settle?.(checkSize(content));
    else this.#settle?.({ kind: 'failed', ...(JSON.parse(content) as FunctionError) });
    if (kind === 'init-failed') void this.end();
  }

  #nextResult(timeoutMillis: number, timeoutResult: () => InvocationResult): Promise<InvocationResult> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#settle?.(timeoutResult());
        void this.end();
      }, timeoutMillis);
      this.#settle = (result) => {
        clearTimeout(timer);
        this.#settle = undefined;
        resolve(result);
      };
    });
  }
}

const checkSize = (payload: string): InvocationResult =>
  Buffer.byteLength(payload) <= MAX_RESPONSE_BYTES
    ? { kind: 'succeeded', payload }
    : failed('Function.ResponseSizeTooLarge', 'Response payload size exceeded maximum allowed payload size');
