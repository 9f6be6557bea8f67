import { EventEmitter, once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createSemaphore, type Semaphore } from '../../../shared/lib/concurrency.ts';
import { base58 } from '../../../shared/lib/random.ts';
import type { FunctionDefinition } from '../assembly/assembly.ts';
import { functionArn, LOCAL_REGION } from '../common/arns.ts';
import type { FunctionLog } from './function-log.ts';
import { FunctionWorker, type InvocationResult } from './function-worker.ts';
import { WorkerProcess } from './worker-process.ts';

/** Outcome of an invocation. `throttled` means that the event did not reach the function. */
export type InvocationOutcome = InvocationResult | { readonly kind: 'throttled' };

/** Statistics of the workers of a function. Tests use them to verify that workers run in parallel. */
export interface FunctionStatistics {
  readonly name: string;
  readonly workers: number;
  readonly busy: number;
  readonly maxBusy: number;
  readonly queued: number;
  readonly invocations: number;
  /** Number of workers that were started. The difference to `workers` is the number of workers that ended. */
  readonly started: number;
}

export type Functions = ReturnType<typeof startFunctions>;

export interface FunctionsOptions {
  readonly definitions: readonly FunctionDefinition[];
  /** Largest number of workers of one function. */
  readonly concurrency: number;
  /** Environment variables in addition to the template: endpoints and credentials. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: FunctionLog;
  /** Folder in which Node keeps compiled code for the next workers. By default, each worker compiles its code itself. */
  readonly codeCache?: string | undefined;
  /**
   * Largest number of workers of all functions that load at once. By default, they leave half of the processors to the
   * workers that handle events, whose calls would otherwise exceed their time limits.
   */
  readonly startsAtOnce?: number;
  /** Time after which a worker without invocations is ended, which frees its memory. */
  readonly idleMillis?: number;
}

const DEFAULT_IDLE_MILLIS = 20_000;

/** Creates a pool of workers for each function. Workers start when they are needed. */
export const startFunctions = (options: FunctionsOptions) => {
  const { definitions, concurrency, log, codeCache, idleMillis = DEFAULT_IDLE_MILLIS } = options;
  const { startsAtOnce = Math.ceil(availableParallelism() / 2) } = options;
  const environment = { ...options.environment, ...(codeCache !== undefined && { NODE_COMPILE_CACHE: codeCache }) };
  const context = { concurrency, log, workers: new WorkerProcess(), limitStarts: createSemaphore(startsAtOnce) };
  const pools = new Map(
    definitions.map((definition) => [
      definition.name,
      new Pool(definition, { ...runtimeEnvironment(definition), ...environment }, context),
    ]),
  );
  const invocations = new EventEmitter();
  let inProgress = 0;
  let lastEndedAt = 0;
  const timer = setInterval(() => {
    for (const pool of pools.values()) pool.endIdle(Date.now() - idleMillis);
  }, idleMillis / 2).unref();
  return {
    names: [...pools.keys()] as readonly string[],
    /** Ends the workers of a function that are idle, which frees their memory before they have been idle for long. */
    endIdle: (name: string): void => pools.get(name)?.endIdle(Date.now()),
    /** Returns the time at which any function was in use last, in milliseconds since the epoch: now, or its last response. */
    lastInUseAt: (): number => (inProgress > 0 ? Date.now() : lastEndedAt),
    /** Resolves when the next invocation of any function begins, or when the signal is aborted. */
    nextInvocation: async (signal: AbortSignal): Promise<void> => {
      await once(invocations, 'started', { signal }).catch(() => undefined);
    },
    /**
     * Invokes a function and waits for the outcome.
     * @param event the event as JSON.
     * @param onHandling called when a worker begins to handle the event. Until then, the event waits for a worker.
     * @throws RangeError when there is no function of this name.
     */
    invoke: async (name: string, event: string, onHandling = () => {}): Promise<InvocationOutcome> => {
      const pool = pools.get(name);
      if (!pool) throw new RangeError(`The function ${name} does not exist`);
      inProgress += 1;
      invocations.emit('started');
      try {
        return await pool.invoke(event, onHandling);
      } finally {
        inProgress -= 1;
        lastEndedAt = Date.now();
      }
    },
    statistics: (): FunctionStatistics[] => [...pools.values()].map((pool) => pool.statistics()),
    close: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      await context.workers.close();
    },
  };
};

/** Returns the environment of a function: the variables of the template and those that Lambda itself sets. */
export const runtimeEnvironment = ({ name, handler, directory, memorySize, environment }: FunctionDefinition) => ({
  ...environment,
  AWS_REGION: LOCAL_REGION,
  AWS_DEFAULT_REGION: LOCAL_REGION,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  LAMBDA_TASK_ROOT: directory,
  _HANDLER: handler,
});

/** Largest number of waiting invocations of one function. Lambda would start more workers instead, up to its own limit. */
const MAX_QUEUE_LENGTH = 1_000;

interface WaitingInvocation {
  readonly event: string;
  readonly onHandling: () => void;
  readonly resolve: (outcome: InvocationOutcome) => void;
}

/** Options and resources that the pools of all functions share. */
interface PoolContext extends Pick<FunctionsOptions, 'concurrency' | 'log'> {
  readonly workers: WorkerProcess;
  readonly limitStarts: Semaphore;
}

/** The workers of one function. An idle worker is used first; new workers are started while invocations wait. */
class Pool {
  readonly #definition: FunctionDefinition;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #context: PoolContext;
  readonly #workers = new Set<FunctionWorker>();
  /** Idle workers. The worker that was used last is at the end, and is used next. */
  readonly #idle: { readonly worker: FunctionWorker; readonly since: number }[] = [];
  readonly #queue: WaitingInvocation[] = [];
  /** Number of starts that wait or are in progress. */
  #starting = 0;
  #waitingStarts = 0;
  #busy = 0;
  #maxBusy = 0;
  #invocations = 0;
  #started = 0;
  #closed = false;

  constructor(definition: FunctionDefinition, environment: Readonly<Record<string, string>>, context: PoolContext) {
    this.#definition = definition;
    this.#environment = environment;
    this.#context = context;
  }

  invoke(event: string, onHandling: () => void): Promise<InvocationOutcome> {
    if (this.#closed || this.#queue.length >= MAX_QUEUE_LENGTH) return Promise.resolve({ kind: 'throttled' });
    return new Promise((resolve) => {
      this.#queue.push({ event, onHandling, resolve });
      this.#handleWaiting();
    });
  }

  statistics(): FunctionStatistics {
    return {
      name: this.#definition.name,
      workers: this.#workers.size,
      busy: this.#busy,
      maxBusy: this.#maxBusy,
      queued: this.#queue.length,
      invocations: this.#invocations,
      started: this.#started,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { resolve } of this.#queue.splice(0)) resolve({ kind: 'throttled' });
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  /** Ends the workers that have been idle since a time. */
  endIdle(time: number): void {
    while (this.#idle[0] && this.#idle[0].since <= time) void this.#idle.shift()?.worker.end();
  }

  #handleWaiting(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle.pop()?.worker;
      if (!worker) break;
      if (!worker.isAlive) continue;
      const invocation = this.#queue.shift();
      if (invocation) void this.#run(worker, invocation);
    }
    while (this.#starting < this.#queue.length && this.#workers.size + this.#waitingStarts < this.#context.concurrency)
      void this.#start();
  }

  async #run(worker: FunctionWorker, { event, onHandling, resolve }: WaitingInvocation): Promise<void> {
    onHandling();
    this.#busy += 1;
    this.#invocations += 1;
    this.#maxBusy = Math.max(this.#maxBusy, this.#busy);
    const outcome = await worker.handle(base58(22), event, this.#definition.timeoutSeconds * 1_000);
    this.#busy -= 1;
    if (worker.isAlive) this.#idle.push({ worker, since: Date.now() });
    resolve(outcome);
    this.#handleWaiting();
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    this.#waitingStarts += 1;
    await this.#context.limitStarts(async () => {
      this.#waitingStarts -= 1;
      // Other workers may have handled the invocation in the meantime.
      if (this.#queue.length > 0) await this.#load();
    });
    this.#starting -= 1;
    this.#handleWaiting();
  }

  /** Starts a worker, and waits until it is idle. Its failure is the result of one invocation. */
  async #load(): Promise<void> {
    this.#started += 1;
    const { name, memorySize, directory, handler } = this.#definition;
    const setup = { functionName: name, arn: functionArn(name), memorySize, directory, handler };
    const { workers, log } = this.#context;
    const worker = new FunctionWorker(workers, setup, this.#environment, log, () => this.#remove(worker));
    this.#workers.add(worker);
    const error = await worker.started;
    if (error) this.#queue.shift()?.resolve(error);
    else if (worker.isAlive) this.#idle.push({ worker, since: Date.now() });
  }

  #remove(worker: FunctionWorker): void {
    this.#workers.delete(worker);
    const position = this.#idle.findIndex((idle) => idle.worker === worker);
    if (position >= 0) this.#idle.splice(position, 1);
    if (!this.#closed) this.#handleWaiting();
  }
}
