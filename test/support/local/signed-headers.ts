import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';

interface UnsignedRequest {
  readonly service: 's3' | 'kms';
  readonly host: string;
  /** The path as it is sent, not normalized. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the headers of a request with a signature of the credentials `local` and `local`, for requests that no client sends. */
export const signedHeaders = async (request: UnsignedRequest): Promise<Record<string, string>> => {
  const { service, host, path, method, headers, body } = request;
  const signer = new SignatureV4({
    service,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    sha256: Sha256,
    uriEscapePath: service !== 's3',
  });
  const signed = await signer.sign(new HttpRequest({ method, path, headers: { host, ...headers }, body }));
  return signed.headers;
};
