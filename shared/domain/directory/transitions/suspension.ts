import { absent, all, exists } from '../../changes/conditions.ts';
import { conflict } from '../../errors.ts';
import type { User } from '../records.ts';
import { type Attempt, done, type Effect, OPEN, type Plan, type StoredToken } from './plan.ts';
import { recordOnMembership } from './sessions.ts';

/**
 * Suspension of users (SUSPEND-1). The user has the time of the suspension, and each token has a mark, because requests
 * read their token anyway. The user is marked first. Marks of tokens are written on condition that the user is still
 * suspended, and removed on condition that the user is not, so that concurrent commands cannot mix.
 */

/**
 * Plans to suspend a user, or to end the suspension. Nothing changes if that is done already.
 * @param organizations names of organizations of the user, whose audit trails record the change.
 * @returns whether this plan makes the change.
 */
export const setSuspended = (
  attempt: Attempt<boolean>,
  { id, suspendedAt }: User,
  suspended: boolean,
  organizations: readonly string[],
): Plan<boolean> => {
  // An earlier attempt was applied, its response having been lost.
  if ((suspendedAt !== undefined) === suspended) return done(attempt.previous ?? false);
  const change = suspended ? { set: { suspendedAt: attempt.at } } : { remove: ['suspendedAt'] };
  const condition = all(OPEN, suspended ? absent('suspendedAt') : exists('suspendedAt'));
  return {
    effects: [
      { kind: 'update', of: { kind: 'user', id }, change, condition },
      ...recordSuspension(attempt, id, suspended, organizations),
    ],
    result: true,
  };
};

/** Plans the entries of a suspension or its end. */
export const recordSuspension = (
  attempt: Attempt,
  user: string,
  suspended: boolean,
  organizations: readonly string[],
): Effect[] =>
  organizations.map((name) =>
    recordOnMembership(attempt, user, name, suspended ? 'user.suspended' : 'user.resumed', {}),
  );

/** Plans the marks of tokens, on condition that the user is in the same state. */
export const suspendTokens = (user: string, tokens: readonly StoredToken[], suspended: boolean): Plan<undefined> => {
  if (tokens.length === 0) return done(undefined);
  const condition = suspended ? exists('suspendedAt') : absent('suspendedAt');
  const changed = () =>
    conflict('Another command has suspended or resumed the user meanwhile. Send the command again.');
  return {
    effects: [
      { kind: 'require', of: { kind: 'user', id: user }, condition, rejection: changed },
      ...tokens.map((token): Effect => ({ kind: 'suspend-token', token, suspended })),
    ],
    result: undefined,
  };
};
