import { createHash, timingSafeEqual } from 'node:crypto';

/** Input of a fingerprint. Equal values of different subjects have different fingerprints. */
export interface FingerprintSubject {
  /** Id of the workspace or the variable set. */
  readonly owner: string;
  /** Id of the variable, or the name of an attribute. */
  readonly id: string;
  readonly value: string;
}

/** Keyed fingerprints of values (VAR-15). Without permission for the key, nobody can test a guess against them. */
export interface Fingerprints {
  /**
   * Computes a fingerprint, in one request to KMS: the label of the key, a period, and the HMAC in base64url.
   * @throws DomainError 503 if KMS does not respond in time.
   */
  readonly compute: (subject: FingerprintSubject) => Promise<string>;
  /**
   * Returns whether a stored fingerprint matches a value, compared in constant time. Returns undefined if another key
   * computed the stored fingerprint.
   */
  readonly verify: (stored: string, subject: FingerprintSubject) => Promise<boolean | undefined>;
}

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/**
 * Builds the message of the HMAC. Each part follows its length in bytes, so that no two subjects have the same message.
 * The digest keeps long values below the 4,096 bytes that KMS accepts, and KMS does not receive the value.
 */
const messageOf = ({ owner, id, value }: FingerprintSubject): Buffer =>
  sha256(
    ...['holdfast-fingerprint-1', owner, id, value].flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(part));
      return [length, part];
    }),
  );

const KEY_LABEL_LENGTH = 8;

/**
 * Opens the fingerprints under an HMAC key of KMS. The client of KMS is loaded with the first one.
 * @param keyArn ARN of the key.
 */
export const openFingerprints = (keyArn: string): Fingerprints => {
  // KMS does not rotate HMAC keys. The label distinguishes fingerprints of this key from fingerprints of a replaced key.
  const label = sha256(keyArn).toString('hex').slice(0, KEY_LABEL_LENGTH);
  let generateMac: Promise<(message: Buffer) => Promise<Uint8Array>> | undefined;
  const open = async () => (await import('./mac-library.ts')).createMac(keyArn);

  const compute: Fingerprints['compute'] = async (subject) => {
    generateMac ??= open();
    const mac = await (await generateMac)(messageOf(subject));
    return `${label}.${Buffer.from(mac).toString('base64url')}`;
  };
  return {
    compute,
    verify: async (stored, subject) => {
      if (!stored.startsWith(`${label}.`)) return undefined;
      return isEqualText(stored, await compute(subject));
    },
  };
};

/** Compares two texts in a time that does not depend on where they differ. */
export const isEqualText = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other));
