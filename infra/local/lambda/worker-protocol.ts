/** Data that a worker receives when it starts. */
export interface WorkerSetup {
  readonly functionName: string;
  readonly arn: string;
  readonly memorySize: number;
  readonly directory: string;
  readonly handler: string;
}

/** Message that starts an invocation. */
export interface InvocationMessage {
  readonly requestId: string;
  /** The event as JSON. */
  readonly payload: string;
  /** Time at which the worker will be terminated, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** An error of a function, in the form of the response of `Invoke`. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/** Message from a worker. `init-failed` means that the handler could not be loaded. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'init-failed' } & FunctionError)
  | { readonly kind: 'succeeded'; readonly payload: string }
  | ({ readonly kind: 'failed' } & FunctionError);

/** Message to the process of the workers. `worker` is the number of a worker. */
export type ProcessRequest =
  | {
      readonly kind: 'start';
      readonly worker: number;
      readonly setup: WorkerSetup;
      readonly environment: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'invoke'; readonly worker: number; readonly invocation: InvocationMessage }
  | { readonly kind: 'end'; readonly worker: number };

/** Message from the process of the workers. */
export type ProcessMessage =
  | { readonly kind: 'result'; readonly worker: number; readonly result: WorkerMessage }
  | { readonly kind: 'line'; readonly worker: number; readonly line: string }
  | { readonly kind: 'error'; readonly worker: number; readonly name: string; readonly message: string }
  | { readonly kind: 'exit'; readonly worker: number; readonly code: number };
