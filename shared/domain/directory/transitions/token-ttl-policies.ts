import { all, unchanged } from '../../changes/conditions.ts';
import { changedMembers } from '../../changes/organization-changes.ts';
import type { Organization } from '../records.ts';
import { type LimitedTokenType, limitedTokenTypes } from '../token-ttl-policies.ts';
import { type Attempt, beginEdit, done, OPEN, type Plan, record } from './plan.ts';

/** Limits that a request sets, in milliseconds. Omitted ones stay as they are. */
export type TokenTtlLimits = Partial<Readonly<Record<LimitedTokenType, number>>>;

/**
 * Plans to set limits of the lifetime of tokens, and to put the limits of the organization in force (AUTH-22). Nothing is
 * written if nothing changes.
 */
export const setTokenTtlPolicies = (
  attempt: Attempt,
  before: Organization,
  limits: TokenTtlLimits,
): Plan<undefined> => {
  const { name, tokenTtlPolicies: policies = {} } = before;
  const edit = beginEdit(attempt, { id: name, revision: before.revision });
  if (edit === undefined) return done(undefined);
  const changed = limitedTokenTypes.flatMap((type) => {
    const maxTtlMs = limits[type];
    return maxTtlMs === undefined || maxTtlMs === policies[type]?.maxTtlMs
      ? []
      : [[type, { maxTtlMs, updatedAt: attempt.at }] as const];
  });
  const set = {
    maxTtlEnabled: true,
    ...(changed.length > 0 && { tokenTtlPolicies: { ...policies, ...Object.fromEntries(changed) } }),
  };
  const keys = changedMembers(before, { ...before, ...set });
  if (keys.length === 0) return done(undefined);
  // A limit that another request sets meanwhile must not be lost: the limits are one attribute.
  const asSeen = limitedTokenTypes.map((type) =>
    unchanged(`tokenTtlPolicies.${type}.maxTtlMs`, policies[type]?.maxTtlMs),
  );
  return {
    effects: [
      {
        kind: 'update',
        of: { kind: 'organization', id: name },
        change: { set: { ...set, revision: edit.revision } },
        condition: all(OPEN, ...asSeen, edit.condition),
        changeRecord: record(attempt, 'organization.updated', { keys }),
      },
    ],
    result: undefined,
  };
};
