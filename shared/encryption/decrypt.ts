import { isDeepStrictEqual } from 'node:util';
import { buildDecrypt } from '@aws-crypto/decrypt-node';
import { KmsKeyringNode, type KmsKeyringNodeInput } from '@aws-crypto/kms-keyring-node';
import { CommitmentPolicy } from '@aws-crypto/material-management-node';
import type { KMS } from '@aws-sdk/client-kms';
import { reportKeyErrors } from './key-client.ts';

/**
 * Decrypts a text that `Encrypt` encrypted, in one request to KMS, which names the encryption context. Functions of the
 * service never do that: only programs with permission of their own for the key (docs/decisions/0011).
 * @throws DomainError 503 if KMS does not respond in time; Error if the key, the context or the ciphertext differs.
 */
export type Decrypt = (ciphertext: Uint8Array, context: Readonly<Record<string, string>>) => Promise<string>;

/**
 * Creates the decryption with KMS keys. Each ciphertext names the one with which it was encrypted.
 * @param keyArns ARNs of the keys.
 * @param clientIn creates a client for the region of a key. It is called once for each region.
 */
export const createDecryption = (keyArns: readonly string[], clientIn: (region: string) => KMS): Decrypt => {
  const clients = new Map<string, KMS>();
  // Cast: the SDK's types allow undefined members, the library's types only absent ones.
  const clientProvider = ((region: string) => {
    const client = clients.get(region) ?? clientIn(region);
    clients.set(region, client);
    return client;
  }) as NonNullable<KmsKeyringNodeInput['clientProvider']>;
  const keyring = new KmsKeyringNode({ keyIds: [...keyArns], clientProvider });
  const { decrypt } = buildDecrypt({
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: 1,
  });
  return async (ciphertext, context) => {
    const { plaintext, messageHeader } = await reportKeyErrors(decrypt(keyring, ciphertext));
    // KMS verifies that the context belongs to the ciphertext, not that it is the expected context.
    if (!isDeepStrictEqual({ ...messageHeader.encryptionContext }, { ...context }))
      throw new Error('The text was encrypted in another context');
    return plaintext.toString('utf8');
  };
};
