import { base58 } from '../../../shared/lib/random.ts';
import type { FunctionDefinition } from '../assembly/assembly.ts';
import { functionArn, LOCAL_REGION } from '../assembly/template.ts';
import type { FunctionLog } from './function-log.ts';
import { type Answer, FunctionWorker } from './function-worker.ts';

/** What became of one invocation; `throttled` means that the function never saw it. */
export type Outcome = Answer | { readonly kind: 'throttled' };

/** How much of a function was ever used at once; for tests that must know that workers really ran side by side. */
export interface FunctionStatistics {
  readonly name: string;
  readonly workers: number;
  readonly busy: number;
  readonly mostBusy: number;
  readonly queued: number;
  readonly invocations: number;
  /** Workers ever started, so the difference to `workers` is how many died. */
  readonly started: number;
}

/** The functions of the assembly, ready to be invoked by name. */
export interface Functions {
  readonly names: readonly string[];
  /** @param event as JSON. */
  invoke(name: string, event: string): Promise<Outcome>;
  statistics(): FunctionStatistics[];
  close(): Promise<void>;
}

export interface FunctionsOptions {
  readonly definitions: readonly FunctionDefinition[];
  /** Most workers of one function. */
  readonly concurrency: number;
  /** Beside the template's variables: where the engine is, and credentials for it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: FunctionLog;
}

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
      if (!pool) throw new RangeError(`There is no function ${name}`);
      return pool.invoke(event);
    },
    statistics: () => [...pools.values()].map((pool) => pool.statistics()),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
};

/** What Lambda's runtime sets beside the template's variables, which it never overrides. */
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

/** Waiting invocations of one function; Lambda would start more workers instead, and throttle past its own limit. */
const LONGEST_QUEUE = 1_000;

interface Waiting {
  readonly event: string;
  readonly resolve: (outcome: Outcome) => void;
}

/** The workers of one function: an idle one is preferred, another is started while more invocations wait. */
class Pool {
  readonly #definition: FunctionDefinition;
  readonly #concurrency: number;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #log: FunctionLog;
  readonly #workers = new Set<FunctionWorker>();
  readonly #idle: FunctionWorker[] = [];
  readonly #queue: Waiting[] = [];
  #starting = 0;
  #busy = 0;
  #mostBusy = 0;
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

  invoke(event: string): Promise<Outcome> {
    if (this.#closed || this.#queue.length >= LONGEST_QUEUE) return Promise.resolve({ kind: 'throttled' });
    return new Promise((resolve) => {
      this.#queue.push({ event, resolve });
      this.#dispatch();
    });
  }

  statistics(): FunctionStatistics {
    return {
      name: this.#definition.name,
      workers: this.#workers.size,
      busy: this.#busy,
      mostBusy: this.#mostBusy,
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

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle.pop();
      if (!worker) break;
      if (!worker.isAlive) continue;
      const waiting = this.#queue.shift();
      if (waiting) void this.#run(worker, waiting);
    }
    while (this.#starting < this.#queue.length && this.#workers.size < this.#concurrency) void this.#start();
  }

  async #run(worker: FunctionWorker, { event, resolve }: Waiting): Promise<void> {
    this.#busy += 1;
    this.#invocations += 1;
    this.#mostBusy = Math.max(this.#mostBusy, this.#busy);
    const outcome = await worker.handle(base58(22), event, this.#definition.timeoutSeconds * 1_000);
    this.#busy -= 1;
    if (worker.isAlive) this.#idle.push(worker);
    resolve(outcome);
    this.#dispatch();
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    this.#started += 1;
    const { name, memorySize, directory, handler } = this.#definition;
    const setup = { functionName: name, arn: functionArn(name), memorySize, directory, handler };
    const worker = new FunctionWorker(setup, this.#environment, this.#log, () => this.#forget(worker));
    this.#workers.add(worker);
    const failure = await worker.started;
    this.#starting -= 1;
    if (failure) this.#queue.shift()?.resolve(failure);
    else if (worker.isAlive) this.#idle.push(worker);
    this.#dispatch();
  }

  #forget(worker: FunctionWorker): void {
    this.#workers.delete(worker);
    const position = this.#idle.indexOf(worker);
    if (position >= 0) this.#idle.splice(position, 1);
    if (!this.#closed) this.#dispatch();
  }
}
