/**
 * Entry of a worker thread, one execution environment of a function. Emulates the Node runtime of Lambda: loads the
 * handler once, then handles one event after another.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { InvocationMessage, WorkerMessage, WorkerSetup } from './worker-protocol.ts';

const port = parentPort;
if (!port) throw new Error('worker.ts must run as a worker thread');
const { functionName, memorySize, arn, directory, handler: handlerName } = workerData as WorkerSetup;

// Node has read the variable when the thread started. In Lambda, functions do not have it.
delete process.env['NODE_COMPILE_CACHE'];

type Handler = (event: unknown, context: object) => unknown;

const send = (message: WorkerMessage): void => port.postMessage(message);

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

const createContext = ({ requestId, deadline }: InvocationMessage) => ({
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

try {
  const handler = await loadHandler();
  port.on('message', async (message: InvocationMessage) => {
    try {
      const result = await handler(JSON.parse(message.payload), createContext(message));
      send({ kind: 'succeeded', payload: JSON.stringify(result) ?? 'null' });
    } catch (error) {
      send({ kind: 'failed', ...toFunctionError(error) });
    }
  });
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'init-failed', ...toFunctionError(error) });
}
