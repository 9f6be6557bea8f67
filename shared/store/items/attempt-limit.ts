import { absent, all, any, below, type Change, type Condition, exists } from '../../domain/changes/conditions.ts';
import type { DomainError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { versionId } from '../../lib/random.ts';
import { tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { type KeyAttribute, keyFromAttributes, typeAndVersion } from '../dynamodb/item-schemas.ts';
import type { Item, Key } from '../dynamodb/keys.ts';
import { persist, persistWrite } from '../dynamodb/retry-writes.ts';
import { update } from './item-write.ts';

/** Types of items that have the times of attempts. */
type LimitType = 'verifications' | 'device-tries';

/** A limit on attempts within a sliding window. */
export interface AttemptLimit<T extends LimitType> {
  readonly type: T;
  /** Number of attempts within the window. */
  readonly most: number;
  /** Length of the window, in milliseconds. */
  readonly window: number;
  /** Creates the error of an attempt beyond the limit. @param retryAfter in seconds. */
  readonly tooMany: (retryAfter: number) => DomainError;
}

/**
 * Counts an attempt.
 * @param attributes attributes that determine the key of the item.
 * @returns a function that removes the attempt again.
 * @throws DomainError of the limit once there are too many attempts within the window.
 */
export type CountAttempt<T extends LimitType> = (
  attributes: Readonly<Record<KeyAttribute<T>, string>>,
) => Promise<() => Promise<void>>;

/** Time to live of the item after the window of the last attempt, in seconds. */
const KEPT_SECONDS = 60;
/** Prefix of the attributes with the times of attempts. The rest of the name is random. */
const TIME = 'at:';
/** Length of the random part, which keeps an item with 30 times below 1 KB. */
const NAME_LENGTH = 12;

/** Lists the names and times of the attempts that an item has. */
const timesIn = (item: Item | undefined): readonly (readonly [name: string, at: number])[] =>
  Object.entries(item ?? {}).flatMap(([name, at]) => (name.startsWith(TIME) ? [[name, Number(at)] as const] : []));

/**
 * Plans to add the time of an attempt. Only an item that is full is looked at: times outside the window leave it in the
 * same write. The number of times never exceeds the limit, and no time within the window leaves the item, so the limit
 * holds for every window, whatever requests run concurrently.
 * @param known the item, as far as it is known to be full.
 * @throws DomainError of the limit.
 */
const planTime = (
  { most, window, tooMany }: Pick<AttemptLimit<LimitType>, 'most' | 'window' | 'tooMany'>,
  known: Item | undefined,
  name: string,
  now: number,
): { change: Change; condition: Condition } => {
  const times = timesIn(known);
  const expired = times.filter(([, at]) => at <= now - window).map(([one]) => one);
  const oldest = Math.min(...times.flatMap(([one, at]) => (expired.includes(one) ? [] : [at])));
  if (times.length - expired.length >= most) throw tooMany(Math.ceil((oldest + window - now) / 1_000));
  return expired.length === 0
    ? {
        change: { set: { [name]: now }, count: ['count'] },
        condition: all(absent(name), any(absent('count'), below('count', most))),
      }
    : {
        change: { set: { [name]: now }, add: { count: 1 - expired.length }, remove: expired },
        condition: all(absent(name), ...expired.map(exists)),
      };
};

/** Opens a limit on attempts. An attempt counts once, also if the response of DynamoDB was lost. */
export const openAttemptLimit =
  <T extends LimitType>(database: Database, clock: Clock, limit: AttemptLimit<T>): CountAttempt<T> =>
  async (attributes) => {
    const key = keyFromAttributes(limit.type, attributes) as Key;
    const name = TIME + versionId().slice(0, NAME_LENGTH);
    let known: Item | undefined;
    await persist('limit', clock, async (now, remaining) => {
      /** @returns whether the attempt is counted. */
      const count = async (): Promise<boolean> => {
        const { change, condition } = planTime(limit, known, name, now);
        const ttl = Math.ceil((now + limit.window) / 1_000) + KEPT_SECONDS;
        const set = { ...typeAndVersion(limit.type), ...attributes, ttl, ...change.set };
        try {
          await database.write(update(key, { ...change, set }, condition), remaining());
          return true;
        } catch (error) {
          if (!(error instanceof ConditionFailed)) throw error;
          known = error.image;
          return known?.[name] !== undefined;
        }
      };
      return (await count()) || (await count()) || tryAgain;
    });
    return async () => {
      try {
        const write = update(key, { add: { count: -1 }, remove: [name] }, exists(name));
        await persistWrite('limit', { database, clock }, write);
      } catch (error) {
        // An earlier attempt to send the write has removed it, or it has left the window.
        if (!(error instanceof ConditionFailed)) throw error;
      }
    };
  };
