import type { Principal } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { tooManyVerifications } from '../../domain/workspace/variable.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { openAttemptLimit } from '../items/attempt-limit.ts';

/**
 * Counts a verification of a variable by a person, which is a user, team or organization with all its tokens.
 * @throws DomainError 429 once the person has verified the variable as often as the limit allows within a minute (VAR-16).
 */
export type CountVerification = (variable: string, person: Pick<Principal, 'kind' | 'id'>) => Promise<void>;

/** Opens the limit on verifications. */
export const openVerificationLimit = (database: Database, clock: Clock): CountVerification => {
  const count = openAttemptLimit(database, clock, {
    type: 'verifications',
    most: limits.verifications,
    window: 60_000,
    tooMany: tooManyVerifications,
  });
  return async (variable, { kind, id }) => void (await count({ variable, person: `${kind}#${id}` }));
};
