import type { Socket } from 'node:net';

/** Data that a worker receives when it starts. */
export interface WorkerSetup {
  readonly functionName: string;
  readonly arn: string;
  readonly memorySize: number;
  readonly directory: string;
  readonly handler: string;
}

/** Data that a worker needs to connect to the service: its number, and the path of a Unix domain socket. */
export interface WorkerConnection {
  readonly worker: number;
  readonly socket: string;
}

export interface Invocation {
  readonly requestId: string;
  /** Time at which the worker will be terminated, in milliseconds since the epoch. */
  readonly deadline: number;
  /** The event as JSON. */
  readonly payload: string;
}

/** An error of a function, in the form of the response of `Invoke`. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/**
 * Kinds of messages from a worker, and their content. `init-failed` means that the handler could not be loaded. A worker
 * sends `worker` first, and then `ready` or `init-failed`.
 */
export type MessageKind =
  /** The number of the worker. */
  | 'worker'
  | 'ready'
  /** A `FunctionError` as JSON. */
  | 'init-failed'
  /** The result as JSON. */
  | 'succeeded'
  /** A `FunctionError` as JSON. */
  | 'failed'
  /** A line that the function wrote to its standard output or error output. */
  | 'line';

/**
 * Message to the process of the workers. Invocations and results are not sent through the process: each worker has a
 * connection to the service, because every further thread between them costs CPU time.
 */
export type ProcessRequest =
  | {
      readonly kind: 'start';
      readonly worker: number;
      readonly setup: WorkerSetup;
      readonly environment: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'end'; readonly worker: number };

/** Message from the process of the workers. */
export type ProcessMessage =
  | { readonly kind: 'error'; readonly worker: number; readonly name: string; readonly message: string }
  | { readonly kind: 'exit'; readonly worker: number; readonly code: number };

/** Writes an invocation as one line. In JSON, a line feed is white space. */
export const formatInvocation = ({ requestId, deadline, payload }: Invocation): string =>
  `${requestId} ${deadline} ${payload.replaceAll('\n', ' ')}\n`;

/** Reads an invocation from a line. */
export const parseInvocation = (line: string): Invocation => {
  const [requestId, rest] = splitAtSpace(line);
  const [deadline, payload] = splitAtSpace(rest);
  return { requestId, deadline: Number(deadline), payload };
};

/** Writes a message of a worker as one line. @param content text without a line feed. */
export const formatMessage = (kind: MessageKind, content = ''): string => `${kind} ${content}\n`;

/** Reads a message of a worker from a line. */
export const parseMessage = (line: string): readonly [kind: MessageKind, content: string] => {
  const [kind, content] = splitAtSpace(line);
  return [kind as MessageKind, content];
};

const splitAtSpace = (text: string): readonly [string, string] => {
  const position = text.indexOf(' ');
  return [text.slice(0, position), text.slice(position + 1)];
};

/** Calls a function with each line that arrives on a socket. */
export const readLines = (socket: Socket, onLine: (line: string) => void): void => {
  let incomplete = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n');
    const first = lines.shift() ?? '';
    incomplete += first;
    for (const line of lines) {
      onLine(incomplete);
      incomplete = line;
    }
  });
};
