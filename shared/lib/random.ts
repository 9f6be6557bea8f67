import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { BASE58, derivedId, type IdKind, prefixes } from '../domain/ids.ts';

/** The only source of randomness. */

/** Largest multiple of 58 up to 256. Bytes above it are discarded, because they would make some characters likelier. */
const UNBIASED = 232;

/** Returns a random text in base 58, for ids and tokens: 5.86 bits for each character, from a secure generator. */
export const base58 = (length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < UNBIASED && text.length < length) text += BASE58[byte % BASE58.length];
    }
  }
  return text;
};

/** Returns the id of a new change record. It is random: a later attempt of a request may make another change. */
export const newEventId = (): string => prefixes.event + base58(16);

/**
 * Returns the id of a record that a request creates. It is random, or derived from a request that has an `Idempotency-Key`,
 * so that a later attempt of that request finds the record of an earlier one (HTTP-38).
 * @param part distinguishes several records of one kind that one request creates.
 * @example
 * const id = newId('variable', contextFor(caller)); // 'var-EavQ1LztoRTQHSNT'
 */
export const newId = (
  kind: IdKind,
  { id, attempt }: { readonly id: string; readonly attempt?: 'first' | 'resumed' | undefined },
  part?: string,
): string => (attempt === undefined ? prefixes[kind] + base58(16) : derivedId(kind, id, part));

/** Returns random bytes for keys, from a secure generator. */
export const secretBytes = (length: number): Buffer => randomBytes(length);

/** Returns a random id for one version of a record: 64 hexadecimal digits. */
export const versionId = (): string => randomBytes(32).toString('hex');

/** Returns a random id for a part of a trace: 16 hexadecimal digits. */
export const segmentId = (): string => randomBytes(8).toString('hex');

/** Returns a random UUID, which the AWS SDK puts into the header of an invocation. */
export const invocationId = (): string => randomUUID();

/** Returns a random whole number from `least` up to, but not including, `limit`, from a secure generator. */
export const randomNumber = (least: number, limit: number): number => randomInt(least, limit);

/** Returns a random number from 0 up to, but not including, the limit. It is for pauses, never for secrets. */
export const jitter = (limit: number): number => Math.random() * limit;
