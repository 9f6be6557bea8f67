import { buildEncrypt } from '@aws-crypto/encrypt-node';
import { KmsKeyringNode, type KmsKeyringNodeInput } from '@aws-crypto/kms-keyring-node';
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node';
import { KMS } from '@aws-sdk/client-kms';
import { unavailable } from '../domain/errors.ts';
import { isTransientError } from '../lib/transient-errors.ts';

/**
 * Encrypts a text with the deployment's key, for who may open that key and names the very same context. Nothing in this
 * service can: it makes data keys and never has one opened.
 * @param context what the text belongs to, by ids that never change; it is not secret, and part of what is proven.
 * @throws DomainError `unavailable` when the key service does not answer in time.
 */
export type Encrypt = (plaintext: string, context: Readonly<Record<string, string>>) => Promise<Uint8Array>;

/** Both tries together end well before the function's time is up: reads come before them and a write after. */
const LIMITS = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true },
};

/**
 * AES-256-GCM with key commitment and without a signature: a signature would tell the writers of a text from its
 * readers, of whom there are none here, and would put a key of its own into the context that IAM is to hold.
 */
const SUITE = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

export const openEncryption = (keyArn: string): Encrypt => {
  const client = new KMS(LIMITS);
  // The cast: the SDK's types allow members to be undefined where the library's only allow them to be absent.
  const clientProvider = (() => client) as NonNullable<KmsKeyringNodeInput['clientProvider']>;
  const keyring = new KmsKeyringNode({ generatorKeyId: keyArn, clientProvider });
  const { encrypt } = buildEncrypt({
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: 1,
  });
  return async (plaintext, context) => {
    try {
      const { result } = await encrypt(keyring, plaintext, { suiteId: SUITE, encryptionContext: { ...context } });
      return result;
    } catch (error) {
      throw isTransientError(error) ? unavailable('The service is busy. Try again shortly.', error) : error;
    }
  };
};
