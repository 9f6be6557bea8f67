import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import { base58 } from '../../../shared/lib/random.ts';

/** Algorithm of the signatures of the embedded identity provider. */
export const ALGORITHM = 'RS256';

/** Creates a private key by which identity tokens are signed. */
export const createSigningKey = (): JWK => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: base58(8), alg: ALGORITHM, use: 'sig' } as JWK;
};
