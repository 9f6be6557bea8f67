import { DomainError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { openAttemptLimit } from '../items/attempt-limit.ts';

/**
 * Counts a user code that a person types, before it is looked up, so that concurrent requests cannot exceed the limit.
 * @returns a function that removes the count of a code that was right.
 * @throws DomainError 429 after too many wrong codes (LOGIN-10).
 */
export type CountDeviceTry = (user: string) => Promise<() => Promise<void>>;

const tooManyTries = (retryAfter: number): DomainError =>
  new DomainError('too-many-requests', `You have typed ${limits.deviceTries} wrong codes. Wait, and check the code.`, {
    retryAfter,
  });

/** Opens the limit on wrong user codes. It holds for as long as a code is valid. */
export const openDeviceTries = (database: Database, clock: Clock): CountDeviceTry => {
  const count = openAttemptLimit(database, clock, {
    type: 'device-tries',
    most: limits.deviceTries,
    window: limits.deviceSeconds * 1_000,
    tooMany: tooManyTries,
  });
  return (user) => count({ user });
};
