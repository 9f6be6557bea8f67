import { absent, any, below } from '../../domain/changes/conditions.ts';
import { limits } from '../../domain/limits.ts';
import { tooManyVerifications } from '../../domain/workspace/variable.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { update } from '../items/item-write.ts';

/**
 * Counts a verification by a token in the current minute.
 * @throws DomainError 429 once the token has reached the limit (VAR-16).
 */
export type CountVerification = (digest: string) => Promise<void>;

const MINUTE_SECONDS = 60;

/** Builds the write that counts in the item of a token and a minute, or creates the item. */
const countWrite = (digest: string, minute: number): Write => {
  const set = { ...typeAndVersion('verification-count'), digest, minute, ttl: (minute + 2) * MINUTE_SECONDS };
  const condition = any(absent('count'), below('count', limits.verifications));
  return update(keys.verificationCount(digest, minute), { set, count: ['count'] }, condition);
};

/** Opens the limit on verifications. A verification whose response was lost may count twice. */
export const openVerificationLimit =
  (database: Database, clock: Clock): CountVerification =>
  async (digest) => {
    const seconds = Math.floor(clock() / 1000);
    const minute = Math.floor(seconds / MINUTE_SECONDS);
    const isCounted = await conditionHolds(persistWrite('limit', { database, clock }, countWrite(digest, minute)));
    if (!isCounted) throw tooManyVerifications((minute + 1) * MINUTE_SECONDS - seconds);
  };
