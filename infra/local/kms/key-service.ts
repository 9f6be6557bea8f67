import { createCipheriv, createDecipheriv } from 'node:crypto';
import { secretBytes } from '../../../shared/lib/random.ts';
import { type JsonService, jsonServiceFor, type Operations, Refused } from '../service/aws-json.ts';

/** What the operations take and give, in the spelling of the key service's JSON; bytes are base64. */
interface Input {
  readonly KeyId?: unknown;
  readonly Plaintext?: unknown;
  readonly CiphertextBlob?: unknown;
  readonly EncryptionContext?: unknown;
  readonly NumberOfBytes?: unknown;
  readonly KeySpec?: unknown;
}
type Output = Readonly<Record<string, string>>;

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** KMS encrypts no more than this by itself. */
const LARGEST_PLAINTEXT = 4_096;
const LARGEST_DATA_KEY = 1_024;
const keySpecs: Readonly<Record<string, number>> = { AES_128: 16, AES_256: 32 };

type Context = readonly (readonly [key: string, value: string])[];

/** The encryption context in one order: which pairs it has counts, not in which order they came. */
const contextOf = (given: unknown): Context => {
  const entries = Object.entries((given ?? {}) as object);
  if (entries.some(([, value]) => typeof value !== 'string'))
    throw new Refused('ValidationException', 'The values of EncryptionContext must be strings');
  return (entries as [string, string][]).sort(([a], [b]) => (a < b ? -1 : 1));
};

const bytesOf = (name: 'Plaintext' | 'CiphertextBlob', value: unknown): Buffer => {
  if (typeof value !== 'string' || value === '') throw new Refused('ValidationException', `${name} is missing`);
  return Buffer.from(value, 'base64');
};

const dataKeyBytes = ({ NumberOfBytes, KeySpec }: Input): number => {
  const bytes = KeySpec === undefined ? NumberOfBytes : keySpecs[String(KeySpec)];
  if (Number.isInteger(bytes) && Number(bytes) >= 1 && Number(bytes) <= LARGEST_DATA_KEY) return Number(bytes);
  throw new Refused('ValidationException', 'Either KeySpec or NumberOfBytes, from 1 to 1024, is needed');
};

/**
 * What the service asks of AWS KMS, on this computer: GenerateDataKey, Encrypt and Decrypt in its JSON protocol, under
 * one master key. AES-256-GCM, with the ARN of the key and the encryption context as what is authenticated beside.
 * @param keyArns the keys that there are.
 */
export const keyServiceFor = (masterKey: Buffer, keyArns: readonly string[]): JsonService => {
  const keyNamed = (KeyId: unknown): string => {
    const arn = keyArns.find((known) => KeyId === known || known.endsWith(`:key/${KeyId}`));
    if (arn === undefined) throw new Refused('NotFoundException', `Key '${KeyId}' does not exist`);
    return arn;
  };
  const authenticated = (arn: string, context: Context): Buffer => Buffer.from(JSON.stringify([arn, context]));

  const encrypt = (arn: string, context: Context, plaintext: Buffer): Buffer => {
    const iv = secretBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(authenticated(arn, context));
    const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  };

  const open = (arn: string, context: Context, blob: Buffer): Buffer | undefined => {
    if (blob.length < IV_BYTES + TAG_BYTES) return undefined;
    const tag = blob.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', masterKey, blob.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(authenticated(arn, context)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(blob.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  };

  const operations: Readonly<Record<string, (input: Input) => Output>> = {
    GenerateDataKey: (input) => {
      const KeyId = keyNamed(input.KeyId);
      const plaintext = secretBytes(dataKeyBytes(input));
      const blob = encrypt(KeyId, contextOf(input.EncryptionContext), plaintext);
      return { KeyId, Plaintext: plaintext.toString('base64'), CiphertextBlob: blob.toString('base64') };
    },

    Encrypt: (input) => {
      const KeyId = keyNamed(input.KeyId);
      const plaintext = bytesOf('Plaintext', input.Plaintext);
      if (plaintext.length > LARGEST_PLAINTEXT)
        throw new Refused('ValidationException', `Plaintext must have at most ${LARGEST_PLAINTEXT} bytes`);
      const blob = encrypt(KeyId, contextOf(input.EncryptionContext), plaintext);
      return { KeyId, CiphertextBlob: blob.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    },

    Decrypt: (input) => {
      const [blob, context] = [bytesOf('CiphertextBlob', input.CiphertextBlob), contextOf(input.EncryptionContext)];
      const candidates = input.KeyId === undefined ? keyArns : [keyNamed(input.KeyId)];
      for (const KeyId of candidates) {
        const plaintext = open(KeyId, context, blob);
        if (plaintext !== undefined)
          return { KeyId, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      }
      throw new Refused('InvalidCiphertextException', 'The ciphertext, its key or its context is not the right one');
    },
  };

  return jsonServiceFor('TrentService', operations as Operations);
};
