import { KMS } from '@aws-sdk/client-kms';
import { createAwsEndpoint } from '../../../infra/local/http/aws-service.ts';
import { listen } from '../../../infra/local/http/server.ts';
import { createKeyService } from '../../../infra/local/kms/key-service.ts';
import { createDecryption, type Decrypt } from '../../../shared/encryption/decrypt.ts';
import { secretBytes } from '../../../shared/lib/random.ts';

/** Local key service, with the decryption of runners. */
export interface TestKeyService {
  readonly endpoint: string;
  readonly keyArn: string;
  /** ARN of the HMAC key for fingerprints. */
  readonly macKeyArn: string;
  /** Returns the requested operations since the last call. */
  readonly requested: () => string[];
  readonly client: KMS;
  /** Decrypts a text. @throws Error if the key, the encryption context or the ciphertext differs. */
  readonly open: Decrypt;
  readonly stop: () => Promise<void>;
}

const REGION = 'eu-central-1';
/** Builds the ARN of a key. */
export const keyArnFromName = (name: string): string => `arn:aws:kms:${REGION}:000000000000:key/${name}`;

/** Starts a key service on a local port, with two keys for encryption and two for HMACs. */
export const startKeyService = async (
  masterKey = secretBytes(32),
  keyArn = keyArnFromName('secrets'),
): Promise<TestKeyService> => {
  const macKeyArn = keyArnFromName('fingerprints');
  const keys = [
    { arn: keyArn, usage: 'ENCRYPT_DECRYPT' },
    { arn: keyArnFromName('other'), usage: 'ENCRYPT_DECRYPT' },
    { arn: macKeyArn, usage: 'GENERATE_VERIFY_MAC' },
    { arn: keyArnFromName('other-fingerprints'), usage: 'GENERATE_VERIFY_MAC' },
  ] as const;
  const handle = createAwsEndpoint([createKeyService(masterKey, keys)], { local: 'local' });
  const server = await listen('127.0.0.1', 0);
  let requested: string[] = [];
  server.serve((request) => {
    const at = request.rawHeaders.findIndex((name) => name.toLowerCase() === 'x-amz-target');
    requested.push(request.rawHeaders[at + 1]?.split('.')[1] ?? '');
    return handle(request);
  });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const client = new KMS({
    endpoint,
    region: REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  return {
    endpoint,
    keyArn,
    macKeyArn,
    requested: () => {
      const seen = requested;
      requested = [];
      return seen;
    },
    client,
    open: createDecryption([keyArn], () => client),
    stop: async () => {
      client.destroy();
      await server.close();
    },
  };
};
