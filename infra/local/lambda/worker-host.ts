/**
 * Program of the process in which the workers of all functions run as threads. It ends when the service closes the channel,
 * or when the service was killed.
 */
import { Worker } from 'node:worker_threads';
import type { ProcessMessage, ProcessRequest, WorkerConnection, WorkerSetup } from './worker-protocol.ts';

const [, , socket = ''] = process.argv;
const workers = new Map<number, Worker>();
/** When the service was killed, nobody receives the message. The event `disconnect` follows, and ends this process. */
const ignoreError = (): void => {};
const send = (message: ProcessMessage): void => void process.send?.(message, ignoreError);

const start = ({ worker: id, setup, environment }: Extract<ProcessRequest, { kind: 'start' }>): void => {
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { ...setup, worker: id, socket } satisfies WorkerSetup & WorkerConnection,
    env: environment,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: setup.memorySize },
  });
  workers.set(id, worker);
  worker.on('error', ({ name, message }: Error) => send({ kind: 'error', worker: id, name, message }));
  worker.on('exit', (code) => {
    workers.delete(id);
    send({ kind: 'exit', worker: id, code });
  });
};

process.on('message', (request: ProcessRequest) => {
  if (request.kind === 'start') start(request);
  else void workers.get(request.worker)?.terminate();
});
process.on('disconnect', () => process.exit());
// A terminal sends Ctrl-C to this process too. The service first completes the requests in progress.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
