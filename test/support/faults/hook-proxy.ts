import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HookProxy {
  readonly endpoint: string;
  /** Runs an action once, right before the next call of an operation reaches the engine. */
  readonly beforeNext: (operation: string, act: () => Promise<unknown>) => void;
  /** Loses the response of the next call of an operation, after the engine executed the call and the action has run. */
  readonly loseNext: (operation: string, act?: () => Promise<unknown>) => void;
  /** Breaks the connection of the next call of an operation. @returns a function that sends the call to the engine later. */
  readonly holdNext: (operation: string) => { readonly arrive: () => Promise<void> };
  readonly stop: () => Promise<void>;
}

interface EngineResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
/** Handles a call. Without a result, the connection is closed. */
type Hook = (forward: () => Promise<EngineResponse>) => Promise<EngineResponse | undefined>;

/** Starts a proxy between the store and the engine that runs actions of a test at a certain call. */
export const startHookProxy = async (engine: string): Promise<HookProxy> => {
  const hooks = new Map<string, Hook>();
  const forwardOnly: Hook = (forward) => forward();

  const forward = ({ method = 'POST', url = '/', headers }: IncomingMessage, body: Buffer): Promise<EngineResponse> =>
    new Promise((resolve, reject) => {
      send(engine + url, { method, headers }, async (response) => {
        const whole = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode ?? 500, headers: response.headers, body: whole });
      })
        .on('error', reject)
        .end(body);
    });

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const hook = hooks.get(operation) ?? forwardOnly;
    hooks.delete(operation);
    const response = await hook(() => forward(incoming, body)).catch(() => undefined);
    if (response === undefined) outgoing.destroy();
    else outgoing.writeHead(response.status, response.headers).end(response.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    beforeNext: (operation, act) => {
      hooks.set(operation, async (pass) => {
        await act();
        return pass();
      });
    },
    loseNext: (operation, act) => {
      hooks.set(operation, async (pass) => {
        await pass();
        await act?.();
        return undefined;
      });
    },
    holdNext: (operation) => {
      let arrive = async (): Promise<void> => {
        throw new Error(`No ${operation} was held`);
      };
      hooks.set(operation, async (pass) => {
        arrive = async () => {
          await pass();
        };
        return undefined;
      });
      return { arrive: () => arrive() };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
