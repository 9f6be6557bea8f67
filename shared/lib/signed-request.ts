import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';

/**
 * One request to a service of AWS, without its client: those who make one or two simple ones carry the parts that they
 * have from the client of DynamoDB anyway, and not two clients more at every cold start.
 */
export interface SignedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Of the host that answers in AWS, up to the region: `lambda`, `bucket.s3`. */
  readonly host: string;
  readonly path: string;
  /** What comes before the path where the service is called at another endpoint. */
  readonly pathPrefix?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Service {
  readonly region: string;
  /** Another endpoint than that of AWS. */
  readonly endpoint?: URL;
}

/** One try, over in so many milliseconds: whoever asks has another way. */
export type SendSigned = (request: SignedRequest, milliseconds: number) => Promise<Buffer>;

const CONNECTION_MILLISECONDS = 500;

/** @throws Error when there is no answer in time, or another one than that it was done. */
export const openSigned = (service: 's3' | 'lambda', { region, endpoint }: Service): SendSigned => {
  const handler = new NodeHttpHandler({ connectionTimeout: CONNECTION_MILLISECONDS });
  const signer = new SignatureV4({
    service,
    region,
    credentials: fromEnv(),
    sha256: Sha256,
    // In the paths of S3 nothing is escaped twice.
    uriEscapePath: service !== 's3',
  });
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

  return async ({ method, host, path, pathPrefix = '', headers = {}, body }, milliseconds) => {
    const abortSignal = AbortSignal.timeout(milliseconds);
    const target = endpoint ?? new URL(`https://${host}.${region}.${domain}`);
    const request = new HttpRequest({
      method,
      protocol: target.protocol,
      hostname: target.hostname,
      ...(target.port !== '' && { port: Number(target.port) }),
      path: `${endpoint === undefined ? '' : pathPrefix}${path}`,
      headers: { host: target.host, ...headers },
      ...(body !== undefined && { body }),
    });
    const signed = (await signer.sign(request)) as HttpRequest;
    const { response } = await handler.handle(signed, { abortSignal });
    const content = addAbortSignal(abortSignal, response.body as IncomingMessage);
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    if (response.statusCode >= 300) throw new Error(`${method} ${path} was answered ${response.statusCode}`);
    return Buffer.concat(chunks);
  };
};
