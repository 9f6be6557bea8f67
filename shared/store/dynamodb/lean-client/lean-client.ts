import { DynamoDBClient, type DynamoDBClientConfig, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { httpSigningMiddleware } from '@smithy/core';
import { getEndpointFromInstructions, toEndpointV1 } from '@smithy/core/endpoints';
import { getSchemaSerdePlugin, operation } from '@smithy/core/schema';
import { type Endpoint, SMITHY_CONTEXT_KEY, type StaticOperationSchema } from '@smithy/types';
import { createHttpHandler } from './http-handler.ts';
import { LeanProtocol } from './lean-protocol.ts';
import { marshallOptions } from './marshall-options.ts';
import type { Handler, Middleware } from './middleware.ts';
import { createRepeat } from './repeat.ts';
import { createSigner } from './signer.ts';

/** A command of the document client, with the schema of its operation. */
export interface DocumentCommand {
  readonly input: object;
  readonly clientCommand: { readonly schema: StaticOperationSchema };
}

/** Endpoint of a client, with headers that are the same for all requests. */
interface Destination {
  readonly endpoint: Endpoint;
  readonly signingRegion: string;
}

const SIGNATURE_V4 = 'aws.auth#sigv4';
const DESERIALIZER = 'deserializerMiddleware';

const findDestination = async ({ config }: DynamoDBClient): Promise<Destination> => {
  const resolved = await getEndpointFromInstructions({}, GetItemCommand, { ...config }, {});
  const [scheme] = (resolved.properties?.['authSchemes'] ?? []) as { signingRegion?: string }[];
  const endpoint = toEndpointV1(resolved);
  const userAgent = (await config.defaultUserAgentProvider()).map((words) => words.join('/')).join(' ');
  const host = endpoint.port === undefined ? endpoint.hostname : `${endpoint.hostname}:${endpoint.port}`;
  return {
    endpoint: { ...endpoint, headers: { 'user-agent': userAgent, host } },
    signingRegion: scheme?.signingRegion ?? (await config.region()),
  };
};

/** Returns the middleware of the SDK that reads responses and describes errors. The SDK exports it in a plugin only. */
const deserializerOf = (protocol: LeanProtocol, { streamCollector }: DynamoDBClient['config']): Middleware => {
  const middlewares = new Map<string, Middleware>();
  const add = (middleware: Middleware, { name }: { readonly name: string }) => middlewares.set(name, middleware);
  // The SDK copies this configuration for every response, so it is short.
  getSchemaSerdePlugin({ protocol, streamCollector } as never).applyToStack({ add } as never);
  const middleware = middlewares.get(DESERIALIZER);
  if (middleware === undefined) throw new TypeError(`The SDK has no ${DESERIALIZER}`);
  return middleware;
};

/**
 * Opens a document client that needs less than half of the CPU time of the SDK's. Commands, results, errors and retries are
 * the same (docs/decisions/0045). A command passes through the middlewares of the SDK for signatures and errors, and through that for
 * retries if it fails.
 *
 * Of the options of `send`, the client knows `abortSignal`.
 * @example
 * const client = openLeanClient({ maxAttempts: 3 });
 * await client.send(new GetCommand({ TableName, Key }));
 */
export const openLeanClient = ({
  requestHandler = {},
  ...configuration
}: DynamoDBClientConfig): DynamoDBDocumentClient => {
  const client: DynamoDBClient = new DynamoDBClient({
    ...configuration,
    requestHandler: 'handle' in requestHandler ? requestHandler : createHttpHandler(requestHandler),
    protocol: LeanProtocol,
    signer: async () => signer,
  });
  const { config } = client;
  const signer = createSigner(config.credentials);
  const scheme = config.httpAuthSchemes.find(({ schemeId }) => schemeId === SIGNATURE_V4);
  if (scheme === undefined) throw new TypeError(`The DynamoDB client does not support ${SIGNATURE_V4}`);

  let destination: Promise<Destination> | undefined;
  const getDestination = (): Promise<Destination> => {
    destination ??= findDestination(client).catch((error: unknown) => {
      destination = undefined;
      throw error;
    });
    return destination;
  };

  const { defaultSigningName: signingName } = config;
  const protocol = config.protocol as LeanProtocol;
  const repeat = createRepeat(config);
  const sign: Middleware = httpSigningMiddleware(config);
  const deserialize = deserializerOf(protocol, config);

  const send = async (
    { input, clientCommand }: DocumentCommand,
    { abortSignal }: { abortSignal?: AbortSignal } = {},
  ) => {
    const { endpoint, signingRegion } = await getDestination();
    const { schema } = clientCommand;
    const smithyContext = {
      abortSignal,
      operationSchema: schema,
      selectedHttpAuthScheme: {
        httpAuthOption: { signingProperties: { config, context: {}, signingRegion, signingName } },
        signer: scheme.signer,
      },
    };
    const context = { [SMITHY_CONTEXT_KEY]: smithyContext };
    const [, namespace, name, traits, ...schemas] = schema;
    const request = await protocol.serializeRequest(operation(namespace, name, traits, ...schemas), input, {
      endpoint: async () => endpoint,
    } as never);
    const transmit: Handler = (args) => config.requestHandler.handle(args.request, { abortSignal });
    const handler = repeat(sign(deserialize(transmit, context), context), context);
    return (await handler({ input, request })).output;
  };
  return Object.assign(DynamoDBDocumentClient.from(client, { marshallOptions }), { send: send as never });
};
