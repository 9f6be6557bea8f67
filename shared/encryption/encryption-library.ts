import { buildEncrypt } from '@aws-crypto/encrypt-node';
import { KmsKeyringNode, type KmsKeyringNodeInput } from '@aws-crypto/kms-keyring-node';
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node';
import { createKeyClient, reportKeyErrors } from './key-client.ts';

/**
 * Encrypts a text with the KMS key of the deployment. Decryption needs permission for that key and the same context. The
 * service has no such permission: it only generates data keys.
 * @param context ids that never change of the record that the text belongs to. It is authenticated, not secret.
 * @throws DomainError 503 if KMS does not respond in time.
 */
export type Encrypt = (plaintext: string, context: Readonly<Record<string, string>>) => Promise<Uint8Array>;

/**
 * AES-256-GCM with key commitment, without a signature. A signature would distinguish writers from readers, which this
 * service does not have, and would add a public key to the encryption context that IAM policies check.
 */
const SUITE = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

/** Creates the encryption with a KMS key. @param keyArn ARN of the key. */
export const createEncryption = (keyArn: string): Encrypt => {
  const client = createKeyClient();
  // Cast: the SDK's types allow undefined members, the library's types only absent ones.
  const clientProvider = (() => client) as NonNullable<KmsKeyringNodeInput['clientProvider']>;
  const keyring = new KmsKeyringNode({ generatorKeyId: keyArn, clientProvider });
  const { encrypt } = buildEncrypt({
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: 1,
  });
  return async (plaintext, context) => {
    const message = encrypt(keyring, plaintext, { suiteId: SUITE, encryptionContext: { ...context } });
    return (await reportKeyErrors(message)).result;
  };
};
