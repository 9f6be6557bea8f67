import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { operation } from '@smithy/core/schema';
import * as leanClient from '../../../shared/store/dynamodb/lean-client/lean-client.ts';
import type { LeanProtocol } from '../../../shared/store/dynamodb/lean-client/lean-protocol.ts';
import { type EngineResponse, sendToEngine } from './engine-connection.ts';

/** Names the engine that functions call without an AWS client, to the functions of the tests. */
export const DIRECT_ENGINE = 'HOLDFAST_TEST_DIRECT_ENGINE';

/** Lets functions that call the engine directly reuse the responses to reads until the next write. */
export const CACHE_READS = 'HOLDFAST_TEST_CACHE_READS';

const READS = ['GetItem', 'BatchGetItem', 'Query'].map((operation) => `DynamoDB_20120810.${operation}`);

/** Responses to reads since the last write, by request. The functions of one API share them. */
const cached = new Map<string, Promise<EngineResponse>>();

/** Sends a request, unless the same read was sent after the last write began and ended. */
const sendUnlessCached = async (endpoint: string, target: string, body: string): Promise<EngineResponse> => {
  if (!READS.includes(target)) {
    cached.clear();
    return sendToEngine(endpoint, target, body).finally(() => cached.clear());
  }
  // The engine has no stale reads, so the response to a consistent read is the same.
  const name = `${target} ${body.replace('"ConsistentRead":true', '"ConsistentRead":false')}`;
  const response = cached.get(name) ?? sendToEngine(endpoint, target, body);
  cached.set(name, response);
  return response;
};

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
  const send = process.env[CACHE_READS] ? sendUnlessCached : sendToEngine;
  const context = { ...config, endpoint: async () => undefined } as never;
  return {
    send: async ({ input, clientCommand }: leanClient.DocumentCommand): Promise<unknown> => {
      const [, namespace, name, traits, ...schemas] = clientCommand.schema;
      const schema = operation(namespace, name, traits, ...schemas);
      const { headers, body } = await protocol.serializeRequest(schema, input, context);
      // A value in an unusual form is serialized by the SDK, as bytes.
      const json = typeof body === 'string' ? body : new TextDecoder().decode(body);
      const response = await send(endpoint, String(headers['x-amz-target']), json);
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
