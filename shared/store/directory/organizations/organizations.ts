import { all, applyChange, equals, merge } from '../../../domain/changes/conditions.ts';
import { changedMembers } from '../../../domain/changes/organization-changes.ts';
import { requireRevision, revisionBy } from '../../../domain/changes/revisions.ts';
import { mayDefaultTo } from '../../../domain/directory/agent-pools.ts';
import {
  DEFAULT_PROJECT,
  type Organization,
  type OrganizationSettings,
  OWNERS_TEAM,
  type Project,
  type Team,
  type User,
} from '../../../domain/directory/records.ts';
import type { NewToken } from '../../../domain/directory/tokens.ts';
import { type Plan as DirectoryPlan, isOpen as isOpenRecord } from '../../../domain/directory/transitions/plan.ts';
import { noOrganization } from '../../../domain/directory/transitions/records.ts';
import { useOrCreate, useUser } from '../../../domain/directory/transitions/users.ts';
import { invalid, notFound } from '../../../domain/errors.ts';
import { nameTaken } from '../../../domain/transitions/transition.ts';
import { base58, newId } from '../../../lib/random.ts';
import type { Item } from '../../dynamodb/item.ts';
import { keys } from '../../dynamodb/keys.ts';
import { isOpen, organizationOf } from '../../items/directory-items.ts';
import { effectWrites } from '../../items/directory-writes.ts';
import {
  check,
  DEFAULT_SHARDS,
  type Guarded,
  joinWrites,
  membershipWrites,
  OPEN,
  organizationItem,
  recordWrites,
  tokenWrites,
  update,
  withChangeRecord,
} from '../../items/record-items.ts';
import { commit, done, type Plan, type RecordingTable, unguarded } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import type { Users } from '../users/users.ts';

/** The fields of an organization that can be changed. */
type OrganizationFields = Pick<
  Organization,
  'email' | 'defaultExecutionMode' | 'defaultAgentPool' | 'assessmentsEnforced' | 'plan' | keyof OrganizationSettings
>;

export interface NewOrganization extends OrganizationFields {
  readonly name: string;
  /** Name of an agent pool that is created with it. */
  readonly defaultAgentPool: string | null;
  /** First owner, or null for none. Default: the user with the e-mail address. A username of no user creates that user. */
  readonly owner?: { readonly id: string } | { readonly username: string } | null;
  /** Number of partitions of the list index for its workspaces, a power of two. */
  readonly shards?: number;
  /** Token that is created for the owner. */
  readonly token?: NewToken;
}

export interface CreatedOrganization {
  readonly organization: Organization;
  /** False if the organization existed before. */
  readonly created: boolean;
  readonly owner?: User | undefined;
}

/** Opens the changes of organizations. All reads are strongly consistent. */
export const openOrganizations = (table: RecordingTable, records: RecordStore, users: Users) => {
  const { database, record, request } = table;

  const findOrganizationItem = (name: string): Promise<Item | undefined> => database.get(keys.organization(name), true);

  /** Plans to use or to create the first owner of an organization. */
  const planOwner = async (
    owner: NewOrganization['owner'],
    email: string,
    id: string,
    createdAt: number,
  ): Promise<DirectoryPlan<User | undefined>> => {
    if (owner === null) return { effects: [], result: undefined };
    if (owner === undefined) return users.planInvited({ id, email, createdAt });
    if ('id' in owner) {
      const stored = await users.findUserById(owner.id);
      if (!isOpenRecord(stored)) throw notFound();
      return useUser(stored.record);
    }
    const { username } = owner;
    return useOrCreate(await users.findUser(username), { id, username, email, serviceAccount: false, createdAt });
  };

  /** Creates organization, default project, owners team, default pool, owner and token in one transaction. */
  const createOrganization = (wanted: NewOrganization): Promise<CreatedOrganization> => {
    const { name, owner: firstOwner, token, defaultAgentPool: pool, shards = DEFAULT_SHARDS, ...settings } = wanted;
    const { email } = settings;
    if (settings.defaultExecutionMode === 'agent' && pool === null) throw poolMissing();
    const context = request();
    const externalId = newId('organization', context);
    const own = {
      project: newId('project', context),
      team: newId('team', context),
      user: newId('user', context),
      membership: newId('membership', context),
    };
    const agentPool = pool === null ? null : newId('agentPool', context);

    return commit(table, async (createdAt): Promise<Plan<CreatedOrganization>> => {
      const item = await findOrganizationItem(name);
      if (item !== undefined && !isOpen(item)) throw nameTaken();
      if (item !== undefined && item['externalId'] !== externalId) {
        return done({ organization: organizationOf(item), created: false });
      }
      const owner = await planOwner(firstOwner, email, own.user, createdAt);
      // An earlier attempt of this request created it without a response.
      if (item !== undefined) return done({ organization: organizationOf(item), created: true, owner: owner.result });

      const user = owner.result;
      const created = {
        ...settings,
        name,
        externalId,
        createdAt,
        defaultProject: own.project,
        ownersTeam: own.team,
        shards,
        defaultAgentPool: agentPool,
        access: { [own.team]: 'owners' as const },
        ...(user === undefined && { ownerless: true as const }),
      };
      const project: Project = {
        id: own.project,
        organization: name,
        name: DEFAULT_PROJECT,
        description: null,
        createdAt,
        defaultExecutionMode: null,
        defaultAgentPool: null,
        access: {},
        bindings: [],
      };
      const team: Team = {
        id: own.team,
        organization: name,
        name: OWNERS_TEAM,
        visibility: 'secret',
        permissions: 'owners',
        createdAt,
      };
      const organization = organizationItem(created, record('organization.created', createdAt));
      const writes = [
        organization,
        ...recordWrites('project', project, record('project.created', createdAt), shards),
        ...recordWrites('team', team, record('team.created', createdAt)),
        ...(pool !== null && agentPool !== null
          ? recordWrites(
              'agentPool',
              { id: agentPool, organization: name, name: pool, createdAt },
              record('agent-pool.created', createdAt),
            )
          : []),
        ...(user === undefined
          ? []
          : [
              ...joinWrites(
                { id: own.membership, organization: name, user: user.id, createdAt },
                base58(16),
                record('organization-membership.created', createdAt),
              ),
              ...membershipWrites(user.id, name, own.team, record('team-membership.created', createdAt)),
            ]),
        ...(token === undefined || user === undefined
          ? []
          : tokenWrites(
              { ...token, subject: { kind: 'user', id: user.id }, name: user.username, createdAt },
              record('token.created', createdAt),
            )),
      ];
      return {
        writes: [...unguarded(writes), ...owner.effects.flatMap(effectWrites)],
        result: { organization: organizationOf(organization.item ?? {}), created: true, owner: user },
      };
    });
  };

  /**
   * Updates settings. Nothing is written if nothing changes. The default pool is a name, an id or null. It is dropped when the default mode is no longer `agent`.
   * @throws DomainError 404; 422 for a pool that does not exist, agent mode without a pool, or a pool in another mode.
   */
  const updateOrganization = async (name: string, settings: Partial<OrganizationFields>): Promise<Organization> => {
    const context = request();
    const revision = revisionBy(context);
    await commit(table, async (now, isInDoubt) => {
      const item = await findOrganizationItem(name);
      if (!isOpen(item)) throw noOrganization();
      const before = organizationOf(item);
      // An earlier attempt of this request was applied, and its response was lost.
      if (before.revision === revision) return done(undefined);
      const asAccepted = requireRevision(context.precondition, { id: name, revision: before.revision }, isInDoubt);
      const { defaultExecutionMode: mode, defaultAgentPool: pool } = before;
      const chosen = await findPool(name, settings.defaultAgentPool);
      const defaultExecutionMode = settings.defaultExecutionMode ?? mode;
      const isAgent = defaultExecutionMode === 'agent';
      if (chosen?.id && !isAgent) throw poolNotAllowed();
      const defaultAgentPool = isAgent ? (chosen === undefined ? pool : chosen.id) : null;
      if (isAgent && defaultAgentPool === null) throw poolMissing();
      const defaults = { defaultExecutionMode, defaultAgentPool };
      const asSeen = all(OPEN, equals('defaultExecutionMode', mode), equals('defaultAgentPool', pool), asAccepted);
      const change = { set: { ...settings, ...defaults } };
      const changed = changedMembers(before, organizationOf(applyChange(change, item)));
      if (changed.length === 0) return done(undefined);
      const revised = merge(change, { set: { revision } });
      const recorded = withChangeRecord(revised, record('organization.updated', now, { keys: changed }));
      return {
        writes: [{ write: update(keys.organization(name), recorded, asSeen) }, ...(chosen?.writes ?? [])],
        result: undefined,
      };
    });
    return getOrganization(name);
  };

  const getOrganization = async (name: string): Promise<Organization> => {
    const item = await findOrganizationItem(name);
    if (!isOpen(item)) throw noOrganization();
    return organizationOf(item);
  };

  /** Finds a pool by name or id, with the check that it still exists; undefined if the request names none. */
  const findPool = async (
    organization: string,
    nameOrId: string | null | undefined,
  ): Promise<{ readonly id: string | null; readonly writes: readonly Guarded[] } | undefined> => {
    if (nameOrId === undefined) return undefined;
    if (nameOrId === null) return { id: null, writes: [] };
    const pool = await records.find('agentPool', organization, nameOrId);
    if (pool === undefined) throw noPool();
    if (!mayDefaultTo(pool)) throw poolOutOfScope('Agent pool must be available to the whole organization');
    return { id: pool.id, writes: [{ write: check(keys.record('agentPool', pool.id)), refusal: noPool }] };
  };

  return { findOrganizationItem, getOrganization, createOrganization, updateOrganization };
};

/** Creates the error for a default agent pool that does not exist in the organization. */
export const noPool = () => invalid('default-agent-pool-id', 'Agent pool does not exist in this organization');
/** Creates the error for the execution mode `agent` without a default agent pool. */
export const poolMissing = () =>
  invalid('default-agent-pool-id', "Agent pool must be specified when using 'agent' execution mode");
/** Creates the error for a default agent pool with an execution mode other than `agent`. */
export const poolNotAllowed = () =>
  invalid('default-agent-pool-id', "Agent pool must not be specified unless using 'agent' execution mode");
/** Creates the error for a default agent pool whose scope excludes the project or organization (POOL-5). */
export const poolOutOfScope = (detail: string) => invalid('default-agent-pool-id', detail);
