import { hash } from 'node:crypto';
import { absent, all, any, atLeast, type Condition, equals, exists } from '../../domain/changes/conditions.ts';
import type { OneTimeContents, OneTimeKind } from '../../domain/sign-in/one-time-contents.ts';
import type { Clock } from '../../lib/clock.ts';
import { newEventId } from '../../lib/random.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { itemWrite, update } from '../items/item-write.ts';

/** Time for which an item is kept after it has expired, in seconds: so long is a second use of a secret noticed. */
const KEPT_SECONDS = 600;

/** Secrets that are valid for minutes, and work once. They are stored and found by their SHA-256 only. */
export interface OneTimeSecrets {
  /**
   * Stores what belongs to a secret.
   * @param secret unguessable, and never used before.
   * @param lifetime in milliseconds.
   */
  readonly put: <K extends OneTimeKind>(
    kind: K,
    secret: string,
    content: OneTimeContents[K],
    lifetime: number,
  ) => Promise<void>;
  /** Finds what belongs to a secret, and leaves it valid. @returns undefined if it is unknown, used or expired. */
  readonly find: <K extends OneTimeKind>(kind: K, secret: string) => Promise<OneTimeContents[K] | undefined>;
  /**
   * Uses a secret. Of several callers, also at the same time, one gets what belongs to it.
   * @returns undefined if it is unknown, used or expired.
   */
  readonly take: <K extends OneTimeKind>(kind: K, secret: string) => Promise<OneTimeContents[K] | undefined>;
  /** Notes that a used secret is presented again. @returns what belongs to it; undefined unless it was used before. */
  readonly noteReuse: <K extends OneTimeKind>(kind: K, secret: string) => Promise<OneTimeContents[K] | undefined>;
  /** Tells whether a used secret was presented again. */
  readonly wasReused: (kind: OneTimeKind, secret: string) => Promise<boolean>;
}

/** Opens the secrets that work once. */
export const openOneTimeSecrets = (database: Database, clock: Clock): OneTimeSecrets => {
  const keyOf = (kind: OneTimeKind, secret: string) => keys.oneTimeSecret(kind, hash('sha256', secret, 'hex'));
  const contentOf = (item: Item | undefined) => item?.['content'] as never;

  /** Changes the item of a secret. @returns what belongs to it; undefined if the condition does not hold. */
  const change = async (kind: OneTimeKind, secret: string, set: Item, condition: Condition) => {
    try {
      const write = update(keyOf(kind, secret), { set }, condition);
      return contentOf(await persistWrite('sign-in', { database, clock }, write));
    } catch (error) {
      if (error instanceof ConditionFailed) return undefined;
      throw error;
    }
  };

  return {
    put: async (kind, secret, content, lifetime) => {
      const expiresAt = clock() + lifetime;
      const digest = hash('sha256', secret, 'hex');
      const ttl = Math.ceil(expiresAt / 1_000) + KEPT_SECONDS;
      const item = { kind, digest, content, expiresAt, ttl };
      await persistWrite('sign-in', { database, clock }, itemWrite('one-time-secret', item));
    },

    find: async (kind, secret) => {
      const item = await database.get(keyOf(kind, secret), true);
      const isValid = item !== undefined && item['takenBy'] === undefined && Number(item['expiresAt']) > clock();
      return isValid ? contentOf(item) : undefined;
    },

    take: (kind, secret) => {
      // Names this call, so that the write can be repeated when its response was lost.
      const takenBy = newEventId();
      const isFree = any(absent('takenBy'), equals('takenBy', takenBy));
      return change(kind, secret, { takenBy }, all(atLeast('expiresAt', clock() + 1), isFree));
    },

    noteReuse: (kind, secret) => change(kind, secret, { reused: true }, exists('takenBy')),

    wasReused: async (kind, secret) => (await database.get(keyOf(kind, secret), true))?.['reused'] === true,
  };
};
