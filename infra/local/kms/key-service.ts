import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { secretBytes } from '../../../shared/lib/random.ts';
import type { KeyDefinition } from '../assembly/assembly.ts';
import { AwsError, type AwsService, createJsonService } from '../http/aws-service.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Limits of KMS, in bytes. */
const MAX_MESSAGE_BYTES = 4_096;
const MAX_DATA_KEY_BYTES = 1_024;

const MAC_ALGORITHM = 'HMAC_SHA_256';

type Context = readonly (readonly [key: string, value: string])[];

/** Sorts the pairs of an encryption context, because their order has no meaning. */
const parseContext = (value: unknown): Context => {
  const entries = Object.entries((value ?? {}) as object);
  if (entries.some(([, each]) => typeof each !== 'string'))
    throw new AwsError('ValidationException', 'The values of EncryptionContext must be strings');
  return (entries as [string, string][]).sort(([a], [b]) => (a < b ? -1 : 1));
};

const parseBytes = (name: 'CiphertextBlob' | 'Message', value: unknown): Buffer => {
  if (typeof value !== 'string' || value === '') throw new AwsError('ValidationException', `${name} is missing`);
  return Buffer.from(value, 'base64');
};

const createDataKey = (value: unknown): Buffer => {
  const bytes = Number(value);
  if (Number.isInteger(bytes) && bytes >= 1 && bytes <= MAX_DATA_KEY_BYTES) return secretBytes(bytes);
  throw new AwsError('ValidationException', `NumberOfBytes must be from 1 to ${MAX_DATA_KEY_BYTES}`);
};

/**
 * Creates the emulation of AWS KMS with the operations GenerateDataKey, Decrypt and GenerateMac. It encrypts with
 * AES-256-GCM under one master key. The ARN of the key and the encryption context are the additional authenticated data.
 * @param keys the keys that exist.
 */
export const createKeyService = (masterKey: Buffer, keys: readonly KeyDefinition[]): AwsService => {
  const findKey = (KeyId: unknown, usage: KeyDefinition['usage'] = 'ENCRYPT_DECRYPT'): string => {
    const key = keys.find(({ arn }) => KeyId === arn || arn.endsWith(`:key/${KeyId}`));
    if (key === undefined) throw new AwsError('NotFoundException', `Key '${KeyId}' does not exist`);
    if (key.usage !== usage)
      throw new AwsError('InvalidKeyUsageException', `The usage of ${key.arn} is ${key.usage}, not ${usage}`);
    return key.arn;
  };
  const decryptingKeys = keys.filter(({ usage }) => usage === 'ENCRYPT_DECRYPT').map(({ arn }) => arn);
  const authenticatedData = (arn: string, context: Context): Buffer => Buffer.from(JSON.stringify([arn, context]));

  const encrypt = (arn: string, context: Context, plaintext: Buffer): Buffer => {
    const iv = secretBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(authenticatedData(arn, context));
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
  };

  const decrypt = (arn: string, context: Context, blob: Buffer): Buffer | undefined => {
    if (blob.length < IV_BYTES + TAG_BYTES) return undefined;
    const tag = blob.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', masterKey, blob.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(authenticatedData(arn, context)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(blob.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  };

  // Bytes are in base64.
  return createJsonService('TrentService', {
    GenerateDataKey: ({ KeyId: key, NumberOfBytes, EncryptionContext }) => {
      const KeyId = findKey(key);
      const plaintext = createDataKey(NumberOfBytes);
      const blob = encrypt(KeyId, parseContext(EncryptionContext), plaintext);
      return { KeyId, Plaintext: plaintext.toString('base64'), CiphertextBlob: blob.toString('base64') };
    },

    Decrypt: ({ KeyId: key, CiphertextBlob, EncryptionContext }) => {
      const [blob, context] = [parseBytes('CiphertextBlob', CiphertextBlob), parseContext(EncryptionContext)];
      const candidates = key === undefined ? decryptingKeys : [findKey(key)];
      for (const KeyId of candidates) {
        const plaintext = decrypt(KeyId, context, blob);
        if (plaintext !== undefined)
          return { KeyId, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      }
      throw new AwsError(
        'InvalidCiphertextException',
        'The ciphertext is not valid for this key and this encryption context',
      );
    },

    GenerateMac: ({ KeyId: given, Message, MacAlgorithm }) => {
      const KeyId = findKey(given, 'GENERATE_VERIFY_MAC');
      const message = parseBytes('Message', Message);
      if (message.length > MAX_MESSAGE_BYTES)
        throw new AwsError('ValidationException', `Message must have at most ${MAX_MESSAGE_BYTES} bytes`);
      if (MacAlgorithm !== MAC_ALGORITHM)
        throw new AwsError('ValidationException', `MacAlgorithm must be ${MAC_ALGORITHM}`);
      const key = createHmac('sha256', masterKey).update(KeyId).digest();
      return { KeyId, Mac: createHmac('sha256', key).update(message).digest('base64'), MacAlgorithm };
    },
  });
};
