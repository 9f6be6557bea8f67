import { all, applyChange, equals, merge } from '../../changes/conditions.ts';
import { changedMembers } from '../../changes/organization-changes.ts';
import { nameTaken } from '../../transitions/transition.ts';
import { mayDefaultTo } from '../agent-pools.ts';
import {
  type AgentPool,
  DEFAULT_PROJECT,
  type Organization,
  type OrganizationSettings,
  OWNERS_TEAM,
  type Project,
  type Team,
  type User,
} from '../records.ts';
import type { NewToken } from '../tokens.ts';
import { changeMapping, mapGroup } from './groups.ts';
import { joinOrganization, joinTeam } from './memberships.ts';
import { type Attempt, beginEdit, done, type Effect, isOpen, OPEN, type Plan, record, type Stored } from './plan.ts';
import { noPool, poolMissing, poolNotAllowed, poolOutOfScope, requirePool } from './projects.ts';
import { newRecord } from './records.ts';

/** The fields of an organization that can be changed. */
export type OrganizationFields = Pick<
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

/** Ids of what is created with an organization. */
export type OrganizationIds = Readonly<
  Record<'organization' | 'project' | 'team' | 'user' | 'membership' | 'agentPool', string>
>;

/** Default number of partitions of the list index for a new organization's workspaces: 2,000 changes a second. */
const DEFAULT_SHARDS = 4;

/** @throws DomainError 422 for agent mode without a pool. */
export const requireDefaultPool = ({ defaultExecutionMode: mode, defaultAgentPool: pool }: NewOrganization): void => {
  if (mode === 'agent' && pool === null) throw poolMissing();
};

/**
 * Returns the organization that has the name, unless an earlier attempt of this request created it.
 * @throws DomainError 422 while it is being deleted.
 */
export const otherOrganization = (
  stored: Stored<'organization'> | undefined,
  { organization: externalId }: OrganizationIds,
): Organization | undefined => {
  if (stored === undefined) return undefined;
  if (!isOpen(stored)) throw nameTaken();
  return stored.record.externalId === externalId ? undefined : stored.record;
};

const firstOwner = (
  attempt: Attempt,
  { name: organization, token }: NewOrganization,
  ids: OrganizationIds,
  user: User,
): Effect[] => [
  joinOrganization(attempt, { id: ids.membership, organization, user: user.id, createdAt: attempt.at }),
  joinTeam(attempt, { user: user.id, organization, team: ids.team }),
  ...(token === undefined
    ? []
    : ([
        {
          kind: 'create-token',
          token: { ...token, subject: { kind: 'user', id: user.id }, name: user.username, createdAt: attempt.at },
          changeRecord: record(attempt, 'token.created'),
        },
      ] as const)),
];

/**
 * Plans the creation of an organization with its default project, its owners team and, if requested, a default pool, an owner
 * and a token.
 * @param existing the organization, if an earlier attempt of this request created it without a response.
 * @param owner plan of the first owner.
 */
export const createOrganization = (
  attempt: Attempt,
  existing: Organization | undefined,
  wanted: NewOrganization,
  ids: OrganizationIds,
  { effects, result: user }: Plan<User | undefined>,
): Plan<CreatedOrganization> => {
  if (existing !== undefined) return done({ organization: existing, created: true, owner: user });
  const { owner: _, token: __, defaultAgentPool: pool, shards = DEFAULT_SHARDS, ...settings } = wanted;
  const { name } = settings;
  const { at: createdAt } = attempt;
  const organization: Organization = {
    ...settings,
    externalId: ids.organization,
    createdAt,
    defaultProject: ids.project,
    ownersTeam: ids.team,
    defaultAgentPool: pool === null ? null : ids.agentPool,
    access: { [ids.team]: 'owners' },
    ...(user === undefined && { ownerless: true }),
    shards,
  };
  const project: Project = {
    id: ids.project,
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
    id: ids.team,
    organization: name,
    name: OWNERS_TEAM,
    visibility: 'secret',
    permissions: 'owners',
    createdAt,
  };
  const agentPool = pool !== null && { id: ids.agentPool, organization: name, name: pool, createdAt };
  return {
    effects: [
      {
        kind: 'create',
        of: 'organization',
        record: organization,
        changeRecord: record(attempt, 'organization.created'),
      },
      ...newRecord(attempt, 'project', project, shards),
      ...newRecord(attempt, 'team', team, shards),
      ...(agentPool ? newRecord(attempt, 'agentPool', agentPool, shards) : []),
      ...(user === undefined ? [] : firstOwner(attempt, wanted, ids, user)),
      ...mapGroup({ organization: name, team: team.id }, settings.ownersTeamSamlRoleId),
      ...effects,
    ],
    result: { organization, created: true, owner: user },
  };
};

/**
 * Returns the id of the default pool that a request chooses; undefined if it names none.
 * @throws DomainError 422 for a pool that does not exist, or is not available to the whole organization.
 */
const chosenPool = (requested: string | null | undefined, pool: AgentPool | undefined): string | null | undefined => {
  if (requested === undefined || requested === null) return requested;
  if (pool === undefined) throw noPool();
  if (!mayDefaultTo(pool)) throw poolOutOfScope('Agent pool must be available to the whole organization');
  return pool.id;
};

/**
 * Plans a change of settings. Nothing is written if nothing changes. The default pool is dropped when the default mode is no
 * longer `agent`.
 * @param settings the default pool is a name, an id or null.
 * @param requestedPool the pool that the settings name.
 * @throws DomainError 422 for a pool that does not exist, agent mode without a pool, or a pool in another mode.
 */
export const updateOrganization = (
  attempt: Attempt,
  before: Organization,
  settings: Partial<OrganizationFields>,
  requestedPool: AgentPool | undefined,
): Plan<undefined> => {
  const { name, defaultExecutionMode: mode, defaultAgentPool: pool } = before;
  const edit = beginEdit(attempt, { id: name, revision: before.revision });
  if (edit === undefined) return done(undefined);
  const chosen = chosenPool(settings.defaultAgentPool, requestedPool);
  const defaultExecutionMode = settings.defaultExecutionMode ?? mode;
  const isAgent = defaultExecutionMode === 'agent';
  if (chosen && !isAgent) throw poolNotAllowed();
  const defaultAgentPool = isAgent ? (chosen === undefined ? pool : chosen) : null;
  if (isAgent && defaultAgentPool === null) throw poolMissing();
  const change = { set: { ...settings, defaultExecutionMode, defaultAgentPool } };
  const changed = changedMembers(before, applyChange(change, before));
  const { ownersTeam: team, ownersTeamSamlRoleId: group } = before;
  const mapping = changeMapping({ organization: name, team }, group, settings.ownersTeamSamlRoleId);
  const of = { kind: 'organization', id: name } as const;
  if (changed.length === 0) {
    return { effects: mapping.length === 0 ? [] : [{ kind: 'require', of }, ...mapping], result: undefined };
  }
  return {
    effects: [
      {
        kind: 'update',
        of,
        change: merge(change, { set: { revision: edit.revision } }),
        condition: all(OPEN, equals('defaultExecutionMode', mode), equals('defaultAgentPool', pool), edit.condition),
        changeRecord: record(attempt, 'organization.updated', { keys: changed }),
      },
      ...(chosen ? [requirePool(chosen)] : []),
      ...mapping,
    ],
    result: undefined,
  };
};
