import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Emulation of Lambda's `Invoke` with handlers of this process. */
export interface TestLambdaService {
  readonly endpoint: string;
  /** Number of invocations by function name. */
  readonly invocations: ReadonlyMap<string, number>;
  /** Makes one of the next invocations fail, before or after the handler runs. `place` 0 is the next one. */
  readonly failNext: (place: number, when: 'before' | 'after') => void;
  /** Runs the deferred invocations, one after the other. */
  readonly runDeferred: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the service on a local port.
 * @param handlerOf returns the handler of a function by its name without the prefix of the deployment
 * @param deferred names of functions whose asynchronous invocations wait until the test runs them
 */
export const startLambdaService = async (
  prefix: string,
  handlerOf: (name: string) => (event: unknown) => Promise<unknown>,
  deferred: readonly string[] = [],
): Promise<TestLambdaService> => {
  const invocations = new Map<string, number>();
  const waiting: { readonly name: string; readonly event: unknown }[] = [];
  let failing: { place: number; when: 'before' | 'after' } | undefined;

  const invoke = async (name: string, event: unknown): Promise<unknown> => {
    invocations.set(name, (invocations.get(name) ?? 0) + 1);
    const when = failing !== undefined && failing.place-- === 0 ? failing.when : undefined;
    if (when !== undefined) failing = undefined;
    if (when === 'before') throw new Error('cut off before');
    const result = await handlerOf(name)(event);
    if (when === 'after') throw new Error('cut off after');
    return result;
  };

  const server = createServer(async (request, response) => {
    const [, name = ''] = new RegExp(`/functions/${prefix}-([^/]+)/invocations`).exec(request.url ?? '') ?? [];
    try {
      const event = await json(request);
      if (request.headers['x-amz-invocation-type'] === 'Event' && deferred.includes(name)) {
        waiting.push({ name, event });
        response.statusCode = 202;
        response.end();
        return;
      }
      const result = await invoke(name, event);
      response.end(JSON.stringify(result));
    } catch (error) {
      response.setHeader('x-amz-function-error', 'Unhandled');
      response.end(JSON.stringify({ errorMessage: String(error) }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    invocations,
    failNext: (place, when) => {
      failing = { place, when };
    },
    runDeferred: async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await invoke(next.name, next.event);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
