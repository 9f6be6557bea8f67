import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readAssembly } from '../../../infra/local/assembly/assembly.ts';
import { createGateway } from '../../../infra/local/gateway/gateway.ts';
import { combineServices } from '../../../infra/local/http/aws-service.ts';
import { listen } from '../../../infra/local/http/server.ts';
import { openAsyncInvoker } from '../../../infra/local/lambda/async-invoker.ts';
import { openFunctionLog } from '../../../infra/local/lambda/function-log.ts';
import { startFunctions } from '../../../infra/local/lambda/functions.ts';
import { createLambdaService, createStatistics } from '../../../infra/local/lambda/lambda-service.ts';
import { openQueues } from '../../../infra/local/sqs/queues.ts';
import { type SmallAssembly, temporaryFolder, writeAssembly } from './small-assembly.ts';

/** Serves a small assembly without a DynamoDB engine until the test ends. */
export const serve = async (assembly: SmallAssembly) => {
  const {
    api,
    functions: definitions,
    asyncInvokeConfigs,
    queues: queueDefinitions,
  } = readAssembly(writeAssembly(assembly));
  const log = openFunctionLog(join(temporaryFolder(), 'log'));
  const functions = startFunctions({ definitions, concurrency: 4, environment: {}, log });
  const server = await listen('127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close();
    asyncInvoker.close();
    await functions.close();
    log.close();
  });
  const gateway = createGateway(api, functions);
  const folder = temporaryFolder();
  const queues = openQueues(queueDefinitions, join(folder, 'queues'), `http://127.0.0.1:${server.port}`);
  const asyncInvoker = openAsyncInvoker({
    functions,
    configs: asyncInvokeConfigs,
    queues,
    folder: join(folder, 'invocations'),
    concurrency: 4,
  });
  asyncInvoker.start();
  const lambda = { functions, asyncInvoker };
  const callServices = combineServices([queues.service, createLambdaService(lambda)], { local: 'local' });
  const statistics = createStatistics(lambda);
  server.serve(async (request) => statistics(request) ?? (await callServices(request)) ?? gateway(request));
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    port: server.port,
    functions,
    get: (path: string, init?: RequestInit) => fetch(origin + path, init),
    /** Sends bytes unchanged and returns the whole response, for requests that an HTTP client would not send. */
    sendRaw: (text: string | Buffer) => sendRaw(server.port, text),
  };
};

const sendRaw = (port: number, text: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        response += chunk;
      })
      .on('error', reject)
      .on('close', () => resolve(response));
  });
