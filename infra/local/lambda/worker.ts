/**
 * One execution environment of a function, in a thread of its own: loads the handler once, then answers one event after
 * another. What Lambda's Node runtime does, and nothing else.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerSetup } from './worker-protocol.ts';

const port = parentPort;
if (!port) throw new Error('worker.ts runs as a worker thread');
const { functionName, memorySize, arn, directory, handler: handlerName } = workerData as WorkerSetup;

type Handler = (event: unknown, context: object) => unknown;

const send = (message: FromWorker): void => port.postMessage(message);

const describe = (error: unknown) =>
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

const contextOf = ({ requestId, deadline }: ToWorker) => ({
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
  port.on('message', async (message: ToWorker) => {
    try {
      const result = await handler(JSON.parse(message.payload), contextOf(message));
      send({ kind: 'answered', payload: JSON.stringify(result) ?? 'null' });
    } catch (error) {
      send({ kind: 'failed', ...describe(error) });
    }
  });
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'unusable', ...describe(error) });
}
