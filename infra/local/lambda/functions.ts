import { base58 } from '../../../shared/lib/random.ts';
import type { FunctionDefinition } from '../assembly/assembly.ts';
import { functionArn, LOCAL_REGION } from '../common/arns.ts';
import type { FunctionLog } from './function-log.ts';
import { FunctionWorker, type InvocationResult } from './function-worker.ts';

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

/** The functions of the assembly. */
export interface Functions {
  readonly names: readonly string[];
  /**
   * Invokes a function and waits for the outcome.
   * @param event the event as JSON.
   * @throws RangeError when there is no function of this name.
   */
  invoke(name: string, event: string): Promise<InvocationOutcome>;
  statistics(): FunctionStatistics[];
  close(): Promise<void>;
}

export interface FunctionsOptions {
  readonly definitions: readonly FunctionDefinition[];
  /** Largest number of workers of one function. */
  readonly concurrency: number;
  /** Environment variables in addition to those of the template: endpoints and credentials. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: FunctionLog;
}

/** Creates a pool of workers for each function. Workers start when they are needed. */
export const startFunctions = ({ definitions, concurrency, environment, log }: FunctionsOptions): Functions => {
  const pools = new Map(
    definitions.map((definition) => [
      definition.name,
      new Pool(definition, concurrency, { ...runtimeEnvironment(definition), ...environment }, log),
    ]),
  );
  return {
    names: [...pools.keys()],
    invoke: async (name, event) => {
      const pool = pools.get(name);
      if (!pool) throw new RangeError(`The function ${name} does not exist`);
      return pool.invoke(event);
    },
    statistics: () => [...pools.values()].map((pool) => pool.statistics()),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
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
  readonly resolve: (outcome: InvocationOutcome) => void;
}

/** The workers of one function. An idle worker is used first; new workers are started while invocations wait. */
class Pool {
  readonly #definition: FunctionDefinition;
  readonly #concurrency: number;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #log: FunctionLog;
  readonly #workers = new Set<FunctionWorker>();
  readonly #idle: FunctionWorker[] = [];
  readonly #queue: WaitingInvocation[] = [];
  #starting = 0;
  #busy = 0;
  #maxBusy = 0;
  #invocations = 0;
  #started = 0;
  #closed = false;

  constructor(
    definition: FunctionDefinition,
    concurrency: number,
    environment: Readonly<Record<string, string>>,
    log: FunctionLog,
  ) {
    this.#definition = definition;
    this.#concurrency = concurrency;
    this.#environment = environment;
    this.#log = log;
  }

  invoke(event: string): Promise<InvocationOutcome> {
    if (this.#closed || this.#queue.length >= MAX_QUEUE_LENGTH) return Promise.resolve({ kind: 'throttled' });
    return new Promise((resolve) => {
      this.#queue.push({ event, resolve });
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

  #handleWaiting(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle.pop();
      if (!worker) break;
      if (!worker.isAlive) continue;
      const invocation = this.#queue.shift();
      if (invocation) void this.#run(worker, invocation);
    }
    while (this.#starting < this.#queue.length && this.#workers.size < this.#concurrency) void this.#start();
  }

  async #run(worker: FunctionWorker, { event, resolve }: WaitingInvocation): Promise<void> {
    this.#busy += 1;
    this.#invocations += 1;
    this.#maxBusy = Math.max(this.#maxBusy, this.#busy);
    const outcome = await worker.handle(base58(22), event, this.#definition.timeoutSeconds * 1_000);
    this.#busy -= 1;
    if (worker.isAlive) this.#idle.push(worker);
    resolve(outcome);
    this.#handleWaiting();
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    this.#started += 1;
    const { name, memorySize, directory, handler } = this.#definition;
    const setup = { functionName: name, arn: functionArn(name), memorySize, directory, handler };
    const worker = new FunctionWorker(setup, this.#environment, this.#log, () => this.#remove(worker));
    this.#workers.add(worker);
    const error = await worker.started;
    this.#starting -= 1;
    if (error) this.#queue.shift()?.resolve(error);
    else if (worker.isAlive) this.#idle.push(worker);
    this.#handleWaiting();
  }

  #remove(worker: FunctionWorker): void {
    this.#workers.delete(worker);
    const position = this.#idle.indexOf(worker);
    if (position >= 0) this.#idle.splice(position, 1);
    if (!this.#closed) this.#handleWaiting();
  }
}
