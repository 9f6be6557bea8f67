import { randomBytes } from 'node:crypto';

/** The only source of randomness. */

/** Base 58: letters and digits without those that look alike (0 O I l). */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The largest multiple of 58 below 256: bytes from there on are thrown away, or the first letters would be likelier. */
const UNBIASED = 232;

export const base58 = (length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < UNBIASED && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
};

/** Bytes that nobody can guess: for keys. */
export const secretBytes = (length: number): Buffer => randomBytes(length);

/** What tells one version of a thing from all others: 64 hexadecimal digits. */
export const versionId = (): string => randomBytes(32).toString('hex');

/** A number from 0 up to, not including, the limit: for jitter, never for secrets. */
export const jitter = (limit: number): number => Math.random() * limit;
