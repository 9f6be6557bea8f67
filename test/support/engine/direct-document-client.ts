import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient as DocumentClient, type TranslateConfig } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { operation } from '@smithy/core/schema';
import type { StaticOperationSchema } from '@smithy/types';
import type { LeanProtocol } from '../../../shared/store/dynamodb/lean-client/lean-protocol.ts';
import { sendToEngine } from './engine-connection.ts';

/** Names the engine that functions call without an AWS client, to the functions of the tests. */
export const DIRECT_ENGINE = 'HOLDFAST_TEST_DIRECT_ENGINE';

/** A command of the document client, with the schema of its operation. */
interface DocumentCommand {
  readonly input: object;
  readonly clientCommand: { readonly schema: StaticOperationSchema };
}

/** Reads a body that has arrived as a whole, as the protocol reads a stream. */
const wholeBody = (body: Buffer) => ({
  on: (event: 'data' | 'end' | 'error', listener: (chunk?: Buffer) => void) => {
    if (event === 'data') listener(body);
    if (event === 'end') listener();
  },
});

const openDirectClient = ({ config }: DynamoDBClient, endpoint: string) => {
  const protocol = config.protocol as LeanProtocol;
  const context = { ...config, endpoint: async () => undefined } as never;
  return {
    send: async ({ input, clientCommand }: DocumentCommand): Promise<unknown> => {
      const [, namespace, name, traits, ...schemas] = clientCommand.schema;
      const schema = operation(namespace, name, traits, ...schemas);
      const { headers, body } = await protocol.serializeRequest(schema, input, context);
      const response = await sendToEngine(endpoint, String(headers['x-amz-target']), body);
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
 * Takes the place of the document client of the SDK in the functions that the endpoint tests call. It converts commands,
 * results and errors with the protocol of the lean client, and sends them to the engine without middlewares, signatures
 * and retries, which takes half of the CPU time of a test.
 *
 * Functions behind a proxy of a test, and those of the tests of the store and of the local service, use the client of the
 * deployment.
 */
export const DynamoDBDocumentClient = {
  from: (client: DynamoDBClient, options: TranslateConfig) => {
    const endpoint = process.env[DIRECT_ENGINE];
    return endpoint ? openDirectClient(client, endpoint) : DocumentClient.from(client, options);
  },
};
