import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HookProxy {
  readonly endpoint: string;
  /** Does something else right before the next call of an operation reaches the engine; once. */
  readonly beforeNext: (operation: string, act: () => Promise<unknown>) => void;
  readonly stop: () => Promise<void>;
}

/** Stands between the store and the engine, so that a test can let others get ahead at the very moment it wants. */
export const startHookProxy = async (engine: string): Promise<HookProxy> => {
  const hooks = new Map<string, () => Promise<unknown>>();
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const act = hooks.get(operation);
    hooks.delete(operation);
    await act?.();
    const { method = 'POST', url = '/', headers } = incoming;
    send(engine + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    }).end(Buffer.concat(chunks));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    beforeNext: (operation, act) => {
      hooks.set(operation, act);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
