import { hash } from 'node:crypto';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';

type SignerSetting = NonNullable<DynamoDBClientConfig['signer']>;
/** Signer of requests, as the SDK expects it. */
type Signer = Exclude<SignerSetting, (...parameters: never) => unknown>;
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Key of an HMAC with SHA-256, combined with the constants of RFC 2104. */
interface Key {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const BLOCK = 64;

/** Prepares a key of at most 64 bytes. A longer one is hashed first. */
const toKey = (secret: Buffer): Key => {
  const bytes = secret.length > BLOCK ? hash('sha256', secret, 'buffer') : secret;
  const padded = Buffer.concat([bytes], BLOCK);
  return { inner: padded.map((byte) => byte ^ 0x36) as Buffer, outer: padded.map((byte) => byte ^ 0x5c) as Buffer };
};

/** Computes an HMAC. The class of Node is a stream, and takes three times as long for a short text. */
const hmac = ({ inner, outer }: Key, text: string): Buffer =>
  hash('sha256', Buffer.concat([outer, hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer')]), 'buffer');

/** Derives the key that signs the requests of one day, region and service. */
const deriveKey = (secretAccessKey: string, scope: string): Key =>
  scope.split('/').reduce((key, part) => toKey(hmac(key, part)), toKey(Buffer.from(`AWS4${secretAccessKey}`)));

/**
 * Creates a signer of requests to DynamoDB (Signature Version 4). It keeps the key of the day, which the signer of the SDK
 * looks up with an HMAC for every request. The path of a request must not need escaping, and it must not have a query.
 */
export const createSigner = (credentials: () => Promise<Credentials>): Signer => {
  let cached: { readonly scope: string; readonly secret: string; readonly key: Key } | undefined;
  const sign = async (
    request: HttpRequest,
    options: { signingDate: Date; signingRegion: string; signingService: string },
  ) => {
    const { accessKeyId, secretAccessKey: secret, sessionToken } = await credentials();
    const time = options.signingDate.toISOString().replace(/[-:]|\.\d+/g, '');
    const scope = `${time.slice(0, 8)}/${options.signingRegion}/${options.signingService}/aws4_request`;
    if (cached?.scope !== scope || cached.secret !== secret) cached = { scope, secret, key: deriveKey(secret, scope) };

    const payload = sha256(request.body);
    const headers: Record<string, string> = {
      ...request.headers,
      'x-amz-content-sha256': payload,
      'x-amz-date': time,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    };
    // Proxies may change the user agent.
    const names = Object.keys(headers)
      .filter((name) => name !== 'user-agent')
      .sort();
    const signedHeaders = names.join(';');
    const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
    const canonicalRequest = `${request.method}\n${request.path}\n\n${lines}\n${signedHeaders}\n${payload}`;
    const signature = hmac(cached.key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonicalRequest)}`).toString(
      'hex',
    );
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    return new HttpRequest({ ...request, headers });
  };
  return { sign } as Signer;
};
