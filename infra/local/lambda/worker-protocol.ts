/** What a worker is told at its birth. */
export interface WorkerSetup {
  readonly functionName: string;
  readonly arn: string;
  readonly memorySize: number;
  readonly directory: string;
  readonly handler: string;
}

/** One invocation. */
export interface ToWorker {
  readonly requestId: string;
  /** The event, as JSON. */
  readonly payload: string;
  /** When the worker will be ended, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** How a function failed, in the words of Lambda's `Invoke` answer. */
export interface FunctionFailure {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'unusable' } & FunctionFailure)
  | { readonly kind: 'answered'; readonly payload: string }
  | ({ readonly kind: 'failed' } & FunctionFailure);
