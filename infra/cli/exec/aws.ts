import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Io } from '../io.ts';

/** Request to a service of AWS. Its path and its query are encoded as the service encodes them. */
export interface AwsRequest {
  readonly service: string;
  readonly region: string;
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** Sends a request once. @throws an Error of the name `CredentialsProviderError` without credentials. */
export type SendToAws = (request: AwsRequest, signal: AbortSignal) => Promise<Response>;

/** Opens requests that are signed with the credentials of the AWS configuration of the caller. */
export const openSignedRequests = ({ fetch }: Pick<Io, 'fetch'>): SendToAws => {
  const credentials = defaultProvider();
  return async ({ service, region, method, url, headers = {}, body }, signal) => {
    // S3 signs paths that are escaped once, other services paths that are escaped twice.
    const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath: service !== 's3' });
    const request = await signer.sign(
      new HttpRequest({
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { host: url.host, ...headers },
        ...(body !== undefined && { body }),
      }),
    );
    return fetch(url, {
      method,
      headers: request.headers,
      redirect: 'manual',
      signal,
      ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
    });
  };
};

/** Returns the domain of the services in a region. */
export const domainOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

const services = {
  ssm: { target: 'AmazonSSM', version: '1.1', endpoint: 'AWS_ENDPOINT_URL_SSM' },
  secretsmanager: { target: 'secretsmanager', version: '1.1', endpoint: 'AWS_ENDPOINT_URL_SECRETS_MANAGER' },
  dynamodb: { target: 'DynamoDB_20120810', version: '1.0', endpoint: 'AWS_ENDPOINT_URL_DYNAMODB' },
} as const;

const TIMEOUT_MILLISECONDS = 10_000;

/** Calls an operation of a service. @throws an Error with the name and the reason of AWS. */
export type CallAws = (
  service: keyof typeof services,
  region: string,
  operation: string,
  input: object,
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Opens calls with the credentials of the AWS configuration of the caller. Some operations do not need more clients of the AWS
 * SDK, each of which is larger than the command line.
 */
export const openAws = (io: Io): CallAws => {
  const send = openSignedRequests(io);
  return async (service, region, operation, input) => {
    const { target, version, endpoint } = services[service];
    const url = new URL(io.env[endpoint] || `https://${service}.${region}.${domainOf(region)}`);
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${operation}` };
    const limit = AbortSignal.any([io.signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]);
    const body = JSON.stringify(input);
    const response = await send({ service, region, method: 'POST', url, headers, body }, limit);
    const output = (await response.json()) as Readonly<Record<string, unknown>>;
    if (response.ok) return output;
    const name = String(output['__type'] ?? response.status).replace(/^.*#/, '');
    throw Object.assign(new Error(`${name}: ${output['message'] ?? output['Message'] ?? ''}`), { name });
  };
};

/** Returns the region of the AWS configuration of the caller. @throws an Error if there is none. */
export const defaultRegion = loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS);
