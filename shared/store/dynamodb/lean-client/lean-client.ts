import { DynamoDBClient, type DynamoDBClientConfig, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { getHostHeaderPlugin } from '@aws-sdk/core/client';
import { getHttpSigningPlugin, getSmithyContext } from '@smithy/core';
import { constructStack } from '@smithy/core/client';
import { getEndpointFromInstructions, toEndpointV1 } from '@smithy/core/endpoints';
import type { HttpRequest } from '@smithy/core/protocols';
import { getRetryPlugin } from '@smithy/core/retry';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import type { DeserializeHandler, Endpoint } from '@smithy/types';
import { LeanProtocol } from './lean-protocol.ts';
import { createSigner } from './signer.ts';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of every command.
type Input = any;
// biome-ignore lint/suspicious/noExplicitAny: the outputs of every command.
type Output = any;

const SIGNATURE_V4 = 'aws.auth#sigv4';
/** Middlewares that the commands of the document client refer to. */
const anchors = ['serializerMiddleware', 'deserializerMiddleware'];

/** Endpoint of a client, with headers that are the same for all of them. */
interface Destination {
  readonly endpoint: Endpoint;
  readonly signingRegion: string;
}

const findDestination = async ({ config }: DynamoDBClient): Promise<Destination> => {
  const resolved = await getEndpointFromInstructions({}, GetItemCommand, { ...config }, {});
  const [scheme] = (resolved.properties?.['authSchemes'] ?? []) as { signingRegion?: string }[];
  const userAgent = (await config.defaultUserAgentProvider()).map((words) => words.join('/')).join(' ');
  return {
    endpoint: { ...toEndpointV1(resolved), headers: { 'user-agent': userAgent } },
    signingRegion: scheme?.signingRegion ?? (await config.region()),
  };
};

/**
 * Opens a client for the document client that needs about half of the CPU time of the SDK's. Commands, results, errors and
 * retries are the same (docs/decisions/0045). A command skips the middlewares of the client and of the document client and
 * passes through a shorter list of the SDK: protocol, host header, retry, signature.
 *
 * The client can send the commands of the document client only. Of the options of `send`, it knows `abortSignal`.
 * @example
 * const client = DynamoDBDocumentClient.from(openLeanClient({ maxAttempts: 3 }));
 */
export const openLeanClient = (configuration: DynamoDBClientConfig): DynamoDBClient => {
  const client: DynamoDBClient = new DynamoDBClient({
    ...configuration,
    protocol: LeanProtocol,
    signer: async () => signer,
  });
  const { config, middlewareStack } = client;
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

  const { protocol, requestHandler, disableHostPrefix, streamCollector, urlParser } = config;
  const { base64Decoder, base64Encoder, utf8Decoder, utf8Encoder } = config;
  // The SDK copies the configuration for every request and response, so the configuration of the protocol is short.
  const protocolConfiguration = {
    ...{ protocol, requestHandler, disableHostPrefix, streamCollector, urlParser },
    ...{ base64Decoder, base64Encoder, utf8Decoder, utf8Encoder },
    endpoint: async () => (await getDestination()).endpoint,
  };
  const requests = constructStack<Input, Output>();
  requests.use(getSchemaSerdePlugin(protocolConfiguration));
  requests.use(getHostHeaderPlugin(config));
  requests.use(getRetryPlugin(config));
  requests.use(getHttpSigningPlugin(config));

  // They are never reached, and would be copied for every command.
  const names = middlewareStack.identify().map((entry) => entry.split(' ')[0] ?? '');
  for (const name of [...names, 'httpAuthSchemeMiddleware']) if (!anchors.includes(name)) middlewareStack.remove(name);
  middlewareStack.add(
    (_next, context) => async (args) => {
      const { signingRegion } = await getDestination();
      const smithyContext = getSmithyContext(context);
      smithyContext['selectedHttpAuthScheme'] = {
        httpAuthOption: {
          schemeId: SIGNATURE_V4,
          signingProperties: { config, context, signingRegion, signingName: config.defaultSigningName },
        },
        identity: {},
        signer: scheme.signer,
      };
      const send: DeserializeHandler<Input, Output> = ({ request }) =>
        requestHandler.handle(request as HttpRequest, {
          abortSignal: smithyContext['abortSignal'] as AbortSignal,
        }) as Promise<Output>;
      return requests.resolve(send, context)(args);
    },
    { name: 'leanRequest', step: 'initialize', priority: 'high' },
  );
  return client;
};
