import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { Organization, User } from '../../../domain/directory/records.ts';
import {
  type CreatedOrganization,
  createOrganization,
  type NewOrganization,
  type OrganizationFields,
  otherOrganization,
  requireDefaultPool,
  updateOrganization,
} from '../../../domain/directory/transitions/organizations.ts';
import { type Attempt, done, isOpen, type Plan } from '../../../domain/directory/transitions/plan.ts';
import { noOrganization } from '../../../domain/directory/transitions/records.ts';
import { setTokenTtlPolicies, type TokenTtlLimits } from '../../../domain/directory/transitions/token-ttl-policies.ts';
import { useById, useOrCreate } from '../../../domain/directory/transitions/users.ts';
import { newId } from '../../../lib/random.ts';
import { apply, type Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import type { Users } from '../users/users.ts';

/** Opens the changes of organizations. All reads are strongly consistent. */
export const openOrganizations = (table: Table, records: RecordStore, users: Users) => {
  /** Plans to use or to create the first owner of an organization. */
  const planOwner = async (
    { at: createdAt }: Attempt,
    { owner, email }: NewOrganization,
    id: string,
  ): Promise<Plan<User | undefined>> => {
    if (owner === null) return done(undefined);
    if (owner === undefined) return users.planInvited({ id, email, createdAt });
    if ('id' in owner) return useById(await users.findById(owner.id));
    const { username } = owner;
    return useOrCreate(await users.find(username), { id, username, email, serviceAccount: false, createdAt });
  };

  const getOrganization = async (name: string): Promise<Organization> => {
    const stored = await records.findOrganization(name);
    if (!isOpen(stored)) throw noOrganization();
    return stored.record;
  };

  return {
    /** @throws DomainError 404 when there is none, or it is being deleted. */
    get: getOrganization,

    /** Creates organization, default project, owners team, default pool, owner and token in one transaction. */
    create: async (request: RequestContext, wanted: NewOrganization): Promise<CreatedOrganization> => {
      requireDefaultPool(wanted);
      const ids = {
        organization: newId('organization', request),
        project: newId('project', request),
        team: newId('team', request),
        user: newId('user', request),
        membership: newId('membership', request),
        agentPool: newId('agentPool', request),
      };
      return apply<CreatedOrganization>(table, request, async (attempt) => {
        const existing = await records.findOrganization(wanted.name);
        const other = otherOrganization(existing, ids);
        if (other !== undefined) return done({ organization: other, created: false });
        const owner = await planOwner(attempt, wanted, ids.user);
        return createOrganization(attempt, existing?.record, wanted, ids, owner);
      });
    },

    /** Updates settings. The default pool is a name, an id or null. @throws DomainError 404, 422. */
    update: async (
      request: RequestContext,
      name: string,
      settings: Partial<OrganizationFields>,
    ): Promise<Organization> => {
      await apply<undefined>(table, request, async (attempt) => {
        const before = await getOrganization(name);
        const { defaultAgentPool: requested } = settings;
        const pool = requested ? await records.find('agentPool', name, requested) : undefined;
        return updateOrganization(attempt, before, settings, pool);
      });
      return getOrganization(name);
    },

    /** Sets limits of the lifetime of tokens. @throws DomainError 404. */
    setTokenTtlPolicies: async (
      request: RequestContext,
      name: string,
      limits: TokenTtlLimits,
    ): Promise<Organization> => {
      await apply<undefined>(table, request, async (attempt) =>
        setTokenTtlPolicies(attempt, await getOrganization(name), limits),
      );
      return getOrganization(name);
    },
  };
};
