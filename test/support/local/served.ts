import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readAssembly } from '../../../infra/local/assembly/assembly.ts';
import { openQueues } from '../../../infra/local/events/queues.ts';
import { gatewayFor } from '../../../infra/local/gateway/gateway.ts';
import { listen } from '../../../infra/local/gateway/server.ts';
import { openAsynchronous } from '../../../infra/local/lambda/asynchronous.ts';
import { openFunctionLog } from '../../../infra/local/lambda/function-log.ts';
import { startFunctions } from '../../../infra/local/lambda/functions.ts';
import { localControlFor } from '../../../infra/local/lambda/invoke.ts';
import { type SmallAssembly, temporaryFolder, writeAssembly } from './small-assembly.ts';

/** The gateway in front of a small assembly, without engine and table, until the test ends. */
export const serve = async (assembly: SmallAssembly) => {
  const { api, functions: definitions, asynchronous: given, queues: held } = readAssembly(writeAssembly(assembly));
  const log = openFunctionLog(join(temporaryFolder(), 'log'));
  const functions = startFunctions({ definitions, concurrency: 4, environment: {}, log });
  const server = await listen('127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close();
    await functions.close();
    log.close();
  });
  const gateway = gatewayFor(api, functions);
  const folder = temporaryFolder();
  const queues = openQueues(held, join(folder, 'queues'), `http://127.0.0.1:${server.port}`);
  const asynchronous = openAsynchronous({
    functions,
    definitions: given,
    queues,
    folder: join(folder, 'invocations'),
    concurrency: 4,
  });
  asynchronous.start();
  const control = localControlFor({ functions, asynchronous, services: [queues.service] });
  server.serve(async (request) => (await control(request)) ?? gateway(request));
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    port: server.port,
    functions,
    get: (path: string, init?: RequestInit) => fetch(origin + path, init),
    /** Sends bytes as they are and gives all that comes back: for requests that no client would send. */
    sendRaw: (text: string | Buffer) => sendRaw(server.port, text),
  };
};

const sendRaw = (port: number, text: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        answer += chunk;
      })
      .on('error', reject)
      .on('close', () => resolve(answer));
  });
