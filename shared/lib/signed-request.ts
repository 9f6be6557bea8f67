import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';

/**
 * A signed request to an AWS service without its client. It uses modules that the DynamoDB client loads anyway, which
 * keeps two more clients out of every cold start.
 */
export interface SignedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Host name in AWS up to the region, such as `lambda` or `bucket.s3`. */
  readonly host: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Prefix of the path at an endpoint outside AWS. */
  readonly pathPrefix?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Service {
  readonly region: string;
  /** Endpoint outside AWS, such as the local emulation. */
  readonly endpoint?: URL;
}

/** Response to a signed request. Names of headers are in lower case. */
export interface SignedResponse {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly content: Buffer;
}

/** Sends a request once, with a timeout in milliseconds. */
export type SendSigned = (request: SignedRequest, milliseconds: number) => Promise<SignedResponse>;

/** Error of a response with a status other than 2xx. `isTransientError` reads its metadata. */
class UnexpectedStatus extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(request: string, httpStatusCode: number) {
    super(`${request} returned ${httpStatusCode}`);
    this.$metadata = { httpStatusCode };
  }
}

const CONNECTION_MILLISECONDS = 500;

/** Opens a sender of signed requests. It throws an error on a timeout or a status other than 2xx. */
export const openSigned = (service: 's3' | 'lambda' | 'ssm' | 'sts', { region, endpoint }: Service): SendSigned => {
  const handler = new NodeHttpHandler({ connectionTimeout: CONNECTION_MILLISECONDS });
  const signer = new SignatureV4({
    service,
    region,
    credentials: fromEnv(),
    sha256: Sha256,
    // S3 signs paths that are escaped once, other services paths that are escaped twice.
    uriEscapePath: service !== 's3',
  });
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

  return async ({ method, host, path, query = {}, pathPrefix = '', headers = {}, body }, milliseconds) => {
    const abortSignal = AbortSignal.timeout(milliseconds);
    const target = endpoint ?? new URL(`https://${host}.${region}.${domain}`);
    const request = new HttpRequest({
      method,
      protocol: target.protocol,
      hostname: target.hostname,
      ...(target.port !== '' && { port: Number(target.port) }),
      path: `${endpoint === undefined ? '' : pathPrefix}${path}`,
      query,
      headers: { host: target.host, ...headers },
      ...(body !== undefined && { body }),
    });
    const signed = (await signer.sign(request)) as HttpRequest;
    const { response } = await handler.handle(signed, { abortSignal });
    const content = addAbortSignal(abortSignal, response.body as IncomingMessage);
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    if (response.statusCode >= 300) throw new UnexpectedStatus(`${method} ${path}`, response.statusCode);
    return { headers: response.headers, content: Buffer.concat(chunks) };
  };
};
