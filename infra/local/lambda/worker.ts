/**
 * Entry of a worker thread, one execution environment of a function. Emulates the Node runtime of Lambda: loads the
 * handler once, then handles one event after another.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workerData } from 'node:worker_threads';
import {
  formatMessage,
  type Invocation,
  type MessageKind,
  parseInvocation,
  readLines,
  type WorkerConnection,
  type WorkerSetup,
} from './worker-protocol.ts';

const {
  functionName,
  memorySize,
  arn,
  directory,
  handler: handlerName,
  ...connection
} = workerData as WorkerSetup & WorkerConnection;

// Node has read the variable when the thread started. In Lambda, functions do not have it.
delete process.env['NODE_COMPILE_CACHE'];

type Handler = (event: unknown, context: object) => unknown;

// While the handler loads, the connection does not keep the thread alive: a load that waits for nothing ends it.
const socket = connect(connection.socket).unref();
const send = (kind: MessageKind, content?: string): void => void socket.write(formatMessage(kind, content));
send('worker', String(connection.worker));
// By default, the output of a worker thread passes through the main thread of the process.
for (const stream of [process.stdout, process.stderr])
  stream.write = (text) => {
    for (const line of String(text).replace(/\n$/, '').split('\n')) send('line', line);
    return true;
  };

const toFunctionError = (error: unknown) =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') }
    : { errorType: typeof error, errorMessage: String(error), trace: [] };

const loadHandler = async (): Promise<Handler> => {
  const [file = '', name = ''] = handlerName.split(/\.(?=[^.]+$)/);
  const path = ['.mjs', '.js', '.cjs'].map((extension) => join(directory, file + extension)).find(existsSync);
  if (!path) throw Object.assign(new Error(`Cannot find module '${file}'`), { name: 'Runtime.ImportModuleError' });
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const handler = module[name];
  if (typeof handler !== 'function')
    throw Object.assign(new Error(`${handlerName} is undefined or not exported`), { name: 'Runtime.HandlerNotFound' });
  return handler as Handler;
};

const createContext = ({ requestId, deadline }: Invocation) => ({
  functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: arn,
  memoryLimitInMB: String(memorySize),
  awsRequestId: requestId,
  logGroupName: `/aws/lambda/${functionName}`,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

const handle = async (handler: Handler, invocation: Invocation): Promise<void> => {
  try {
    const result = await handler(JSON.parse(invocation.payload), createContext(invocation));
    send('succeeded', JSON.stringify(result) ?? 'null');
  } catch (error) {
    send('failed', JSON.stringify(toFunctionError(error)));
  }
};

try {
  const handler = await loadHandler().finally(() => socket.ref());
  readLines(socket, (line) => void handle(handler, parseInvocation(line)));
  send('ready');
} catch (error) {
  send('init-failed', JSON.stringify(toFunctionError(error)));
}
