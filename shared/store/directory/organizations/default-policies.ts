import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { Organization } from '../../../domain/directory/records.ts';
import { changeDefaultPolicy } from '../../../domain/directory/transitions/default-policy.ts';
import type { RetentionPolicy } from '../../../domain/state-versions/retention-policy.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys } from '../../dynamodb/keys.ts';
import { storedOf } from '../../items/record-items.ts';
import { apply } from '../records/commit.ts';

type Policy = RetentionPolicy | undefined;

/** Opens the changes of default retention policies. */
export const openDefaultPolicies = (database: Database, clock: Clock) => ({
  /**
   * Changes the default retention policy of an organization.
   * @param organization as it was read. It is read again if another request changed the policy first.
   * @param next maps the current policy to the new one, or to undefined for none.
   * @returns the new policy.
   * @throws DomainError 404 once the organization is being deleted.
   */
  changeDefaultPolicy: (
    organization: Organization,
    next: (policy: Policy) => Policy,
    request: RequestContext,
  ): Promise<Policy> => {
    const read = async () => {
      const item = await database.get(keys.organization(organization.name), true);
      return item && storedOf('organization', item);
    };
    return apply<Policy>({ database, clock }, request, async (attempt) => {
      const stored = attempt.isFirst ? ({ kind: 'organization', record: organization } as const) : await read();
      return changeDefaultPolicy(attempt, stored, next);
    });
  },
});

export type DefaultPolicies = ReturnType<typeof openDefaultPolicies>;
