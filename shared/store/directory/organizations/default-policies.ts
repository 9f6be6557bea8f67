import { isDeepStrictEqual } from 'node:util';
import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { absent, all, type Change, type Condition, equals } from '../../../domain/changes/conditions.ts';
import { type OrganizationChange, recordOrganizationChange } from '../../../domain/changes/organization-changes.ts';
import { requireRevision } from '../../../domain/changes/revisions.ts';
import type { Organization } from '../../../domain/directory/records.ts';
import { notFound } from '../../../domain/errors.ts';
import { policyAsRevised, type RetentionPolicy } from '../../../domain/state-versions/retention-policy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newEventId } from '../../../lib/random.ts';
import { tryAgain } from '../../../lib/retry.ts';
import type { Database } from '../../dynamodb/database.ts';
import { ConditionFailed, NoResponse } from '../../dynamodb/errors.ts';
import { keys } from '../../dynamodb/keys.ts';
import { persist } from '../../dynamodb/retry-writes.ts';
import { isOpen, organizationOf } from '../../items/directory-items.ts';
import { OPEN, update, withChangeRecord } from '../../items/record-items.ts';

export interface DefaultPolicies {
  /**
   * Changes the default retention policy of an organization. `plan` maps the current policy to the new one, or to
   * undefined for none. It runs again on a newer image if another request changed the policy first.
   * @returns the new policy.
   * @throws DomainError 404 once the organization is being deleted.
   */
  readonly changeDefaultPolicy: (
    image: Organization,
    plan: (policy: RetentionPolicy | undefined) => RetentionPolicy | undefined,
    request: RequestContext,
  ) => Promise<RetentionPolicy | undefined>;
}

/** The policy is unchanged since it was read. Otherwise the change is planned again, so that the id stays. */
const asSeen = (policy: RetentionPolicy | undefined): Condition =>
  policy === undefined
    ? absent('retentionPolicy')
    : all(
        ...(['id', 'type', 'deleteOlderThanDays'] as const).map((part) =>
          equals(`retentionPolicy.${part}`, policy[part]),
        ),
      );

/** Opens the changes of default retention policies. */
export const openDefaultPolicies = (database: Database, clock: Clock): DefaultPolicies => ({
  changeDefaultPolicy: ({ name, retentionPolicy }, plan, request) => {
    const key = keys.organization(name);
    let policy = retentionPolicy;
    let isRead = false;
    let isInDoubt = false;
    return persist('organization', clock, async (now, remaining) => {
      requireRevision(request.precondition, policy && policyAsRevised(policy), isInDoubt);
      const planned = plan(policy);
      // An earlier attempt, or another request, has already stored the same policy.
      const isSame = isDeepStrictEqual(planned, policy);
      if (isRead && isSame) return planned;
      const change: Change =
        planned === undefined ? { remove: ['retentionPolicy'] } : { set: { retentionPolicy: planned } };
      const id = newEventId();
      const changed = recordOrganizationChange(id, 'organization.retention-policy-changed', request, now);
      // The write of an equal policy only confirms what was read: it is no change.
      const complete = isSame ? change : withChangeRecord(change, changed);
      try {
        await database.write(update(key, complete, all(OPEN, asSeen(policy))), remaining());
        return planned;
      } catch (error) {
        if (error instanceof NoResponse) isInDoubt ||= error.mayBeApplied;
        if (!(error instanceof ConditionFailed)) throw error;
        if (!isOpen(error.image)) throw notFound();
        // An earlier attempt of this request was applied, and its response was lost.
        if (isInDoubt && (error.image['chg'] as OrganizationChange | undefined)?.request === request.id) return planned;
        policy = organizationOf(error.image).retentionPolicy;
        isRead = true;
        return tryAgain;
      }
    });
  },
});
