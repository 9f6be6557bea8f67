import { absent, all, any, below, type Change, type Condition, exists } from '../../domain/changes/conditions.ts';
import type { Principal } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { tooManyVerifications } from '../../domain/workspace/variable.ts';
import type { Clock } from '../../lib/clock.ts';
import { versionId } from '../../lib/random.ts';
import { tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { persist } from '../dynamodb/retry-writes.ts';
import { update } from '../items/item-write.ts';

/**
 * Counts a verification of a variable by a person, which is a user, team or organization with all its tokens.
 * @throws DomainError 429 once the person has verified the variable as often as the limit allows within a minute (VAR-16).
 */
export type CountVerification = (variable: string, person: Pick<Principal, 'kind' | 'id'>) => Promise<void>;

/** Length of the sliding window, in milliseconds. */
const WINDOW = 60_000;
/** Time to live of the item after the last verification, in seconds. */
const KEPT_SECONDS = 120;
/** Prefix of the attributes with the times of verifications. The rest of the name is random. */
const TIME = 'at:';
/** Length of the random part, which keeps an item with 30 times below 1 KB. */
const NAME_LENGTH = 12;

/** Lists the names and times of the verifications that an item has. */
const timesIn = (item: Item | undefined): readonly (readonly [name: string, at: number])[] =>
  Object.entries(item ?? {}).flatMap(([name, at]) => (name.startsWith(TIME) ? [[name, Number(at)] as const] : []));

/**
 * Plans to add the time of a verification. Only an item that is full is looked at: times outside the window leave it in the
 * same write. The number of times never exceeds the limit, and no time within the window leaves the item, so the limit
 * holds for every window, whatever requests run concurrently.
 * @param known the item, as far as it is known to be full.
 * @throws DomainError 429.
 */
const planTime = (known: Item | undefined, name: string, now: number): { change: Change; condition: Condition } => {
  const times = timesIn(known);
  const expired = times.filter(([, at]) => at <= now - WINDOW).map(([one]) => one);
  const oldest = Math.min(...times.flatMap(([one, at]) => (expired.includes(one) ? [] : [at])));
  if (times.length - expired.length >= limits.verifications)
    throw tooManyVerifications(Math.ceil((oldest + WINDOW - now) / 1_000));
  return expired.length === 0
    ? {
        change: { set: { [name]: now }, count: ['count'] },
        condition: all(absent(name), any(absent('count'), below('count', limits.verifications))),
      }
    : {
        change: { set: { [name]: now }, add: { count: 1 - expired.length }, remove: expired },
        condition: all(absent(name), ...expired.map(exists)),
      };
};

/** Opens the limit on verifications. A verification counts once, also if the response of DynamoDB was lost. */
export const openVerificationLimit =
  (database: Database, clock: Clock): CountVerification =>
  async (variable, { kind, id }) => {
    const person = `${kind}#${id}`;
    const name = TIME + versionId().slice(0, NAME_LENGTH);
    let known: Item | undefined;
    await persist('limit', clock, async (now, remaining) => {
      /** @returns whether the verification is counted. */
      const count = async (): Promise<boolean> => {
        const { change, condition } = planTime(known, name, now);
        const ttl = Math.ceil(now / 1_000) + KEPT_SECONDS;
        const set = { ...typeAndVersion('verifications'), variable, person, ttl, ...change.set };
        try {
          await database.write(
            update(keys.verifications(variable, person), { ...change, set }, condition),
            remaining(),
          );
          return true;
        } catch (error) {
          if (!(error instanceof ConditionFailed)) throw error;
          known = error.image;
          return known?.[name] !== undefined;
        }
      };
      return (await count()) || (await count()) || tryAgain;
    });
  };
