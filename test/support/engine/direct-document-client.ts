import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { operation } from '@smithy/core/schema';
import * as leanClient from '../../../shared/store/dynamodb/lean-client/lean-client.ts';
import type { LeanProtocol } from '../../../shared/store/dynamodb/lean-client/lean-protocol.ts';
import { sendToEngine } from './engine-connection.ts';
import { runUnlessCached } from './read-cache.ts';
import { runInRound } from './rounds.ts';

/** Names the engine that functions call without an AWS client, to the functions of the tests. */
export const DIRECT_ENGINE = 'HOLDFAST_TEST_DIRECT_ENGINE';

/** Lets functions that call the engine directly reuse the outputs of reads until a write may change them. */
export const CACHE_READS = 'HOLDFAST_TEST_CACHE_READS';

/** Reads a body that has arrived as a whole, as the protocol reads a stream. */
const wholeBody = (body: Buffer) => ({
  on: (event: 'data' | 'end' | 'error', listener: (chunk?: Buffer) => void) => {
    if (event === 'data') listener(body);
    if (event === 'end') listener();
  },
});

const openDirectClient = (configuration: DynamoDBClientConfig, endpoint: string) => {
  const { config } = leanClient.openLeanClient(configuration);
  const protocol = config.protocol as LeanProtocol;
  const isCached = Boolean(process.env[CACHE_READS]);
  const context = { ...config, endpoint: async () => undefined } as never;
  return {
    send: async ({ input, clientCommand }: leanClient.DocumentCommand): Promise<unknown> => {
      const [, namespace, name, traits, ...schemas] = clientCommand.schema;
      const schema = operation(namespace, name, traits, ...schemas);
      const { headers, body } = await protocol.serializeRequest(schema, input, context);
      const target = String(headers['x-amz-target']);
      // A value in an unusual form is serialized by the SDK, as bytes.
      const json = typeof body === 'string' ? body : new TextDecoder().decode(body);
      const run = async (): Promise<unknown> => {
        const response = await sendToEngine(endpoint, target, json);
        const { status: statusCode } = response;
        return protocol.deserializeResponse(
          schema,
          context,
          new HttpResponse({
            ...response,
            statusCode,
            body: statusCode < 300 ? wholeBody(response.body) : response.body,
          }),
        );
      };
      return runInRound(target, json, () => (isCached ? runUnlessCached(target, json, run) : run()));
    },
  };
};

/**
 * Takes the place of the lean client in the functions that the endpoint tests call. It converts commands, results and errors
 * with the protocol of the lean client, and sends them to the engine without middlewares, signatures and retries, which
 * takes half of the CPU time of a test.
 *
 * Functions behind a proxy of a test, and those of the tests of the store and of the local service, use the client of the
 * deployment.
 */
export const openLeanClient = (configuration: DynamoDBClientConfig) => {
  const endpoint = process.env[DIRECT_ENGINE];
  return endpoint ? openDirectClient(configuration, endpoint) : leanClient.openLeanClient(configuration);
};
