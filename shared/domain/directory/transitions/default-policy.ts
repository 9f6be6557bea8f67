import { isDeepStrictEqual } from 'node:util';
import { absent, all, type Condition, equals } from '../../changes/conditions.ts';
import { requireRevision } from '../../changes/revisions.ts';
import { notFound } from '../../errors.ts';
import { policyAsRevised, type RetentionPolicy } from '../../state-versions/retention-policy.ts';
import { type Attempt, done, isOpen, OPEN, type Plan, record, type Stored } from './plan.ts';

/** The policy is unchanged since it was read. Otherwise the change is planned again, so that the id stays. */
const asSeen = (policy: RetentionPolicy | undefined): Condition =>
  policy === undefined
    ? absent('retentionPolicy')
    : all(
        ...(['id', 'type', 'deleteOlderThanDays'] as const).map((part) =>
          equals(`retentionPolicy.${part}`, policy[part]),
        ),
      );

/**
 * Plans a change of the default retention policy of an organization.
 * @param stored the organization; in the first attempt, as it was read before: then a write has to confirm what was read.
 * @param next maps the current policy to the new one, or to undefined for none.
 * @throws DomainError 404 once the organization is being deleted; 412 if the request does not accept the current policy.
 */
export const changeDefaultPolicy = (
  attempt: Attempt<RetentionPolicy | undefined>,
  stored: Stored<'organization'> | undefined,
  next: (policy: RetentionPolicy | undefined) => RetentionPolicy | undefined,
): Plan<RetentionPolicy | undefined> => {
  const { request, isFirst, isInDoubt, previous } = attempt;
  if (!isOpen(stored)) throw notFound();
  // An earlier attempt of this request was applied, and its response was lost.
  if (isInDoubt && stored.lastChange?.request === request.id) return done(previous);
  const { name, retentionPolicy: policy } = stored.record;
  requireRevision(request.precondition, policy && policyAsRevised(policy), isInDoubt);
  const planned = next(policy);
  const isSame = isDeepStrictEqual(planned, policy);
  if (!isFirst && isSame) return done(planned);
  return {
    effects: [
      {
        kind: 'update',
        of: { kind: 'organization', id: name },
        change: planned === undefined ? { remove: ['retentionPolicy'] } : { set: { retentionPolicy: planned } },
        condition: all(OPEN, asSeen(policy)),
        // The write of an equal policy only confirms what was read: it is no change.
        ...(!isSame && { changeRecord: record(attempt, 'organization.retention-policy-changed') }),
      },
    ],
    result: planned,
  };
};
