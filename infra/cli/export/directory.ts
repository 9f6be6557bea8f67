import type { RecordOf, RecordType } from '../../../shared/bundle/types.ts';
import {
  listAgentPools,
  listReservedTagKeys,
  listSshKeys,
  listVcsConnections,
} from '../../../shared/client/integrations.ts';
import { listMemberships } from '../../../shared/client/memberships.ts';
import { listProjectAccess, listProjects } from '../../../shared/client/projects.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import { showDefaultRetentionPolicy } from '../../../shared/client/retention.ts';
import { listTeamsOnly } from '../../../shared/client/teams.ts';
import { listTokenTtlPolicies } from '../../../shared/client/tokens.ts';
import type { Project, Schemas } from '../../../shared/client/types.ts';
import { listVariableSets } from '../../../shared/client/variable-sets.ts';
import { listSetVariables } from '../../../shared/client/variables.ts';
import { listWorkloadIdentities } from '../../../shared/client/workload-identities.ts';
import { everyOf } from '../every-of.ts';
import type { ListRequest, Reader } from './reader.ts';
import { idOf, pick, toRetention, toTagBindings, toVariable, type Withheld } from './workspaces.ts';

type Organization = Schemas['Organization'];
type OrganizationBody = NonNullable<Schemas['OrganizationUpdateBody']['data']['attributes']>;

const organizationSettings = everyOf<Exclude<keyof OrganizationBody, 'default-agent-pool-id'>>()(
  'email',
  'default-execution-mode',
  'default-deletion-protection',
  'production-tag',
  'allow-force-delete-workspaces',
  'allowed-value-references',
  'speculative-plan-management-enabled',
  'send-passing-statuses-for-untriggered-speculative-plans',
  'aggregated-commit-status-enabled',
  'user-tokens-enabled',
  'max-ttl-enabled',
  'enforce-hyok',
  'stacks-enabled',
  'owners-team-saml-role-id',
  'collaborator-auth-policy',
  'cost-estimation-enabled',
  'session-timeout',
  'session-remember',
  'sign-in-policy',
);

const teamSettings = everyOf<keyof NonNullable<Schemas['TeamUpdateBody']['data']['attributes']>>()(
  'name',
  'visibility',
  'sso-team-id',
  'allow-member-token-management',
  'organization-access',
);

const identitySettings = everyOf<keyof NonNullable<Schemas['WorkloadIdentityUpdateBody']['data']['attributes']>>()(
  'name',
  'issuer',
  'audience',
  'conditions',
  'lifetime-minutes',
  'enabled',
);

const setSettings = everyOf<keyof NonNullable<Schemas['VariableSetBody']['data']['attributes']>>()(
  'name',
  'description',
  'global',
  'priority',
);

/** Takes the records that were read, in any order. */
export interface Sink {
  readonly add: <T extends Exclude<RecordType, 'state-versions'>>(type: T, record: RecordOf<T>) => Promise<void>;
}

/** The names of records by their ids. */
export type Names = ReadonlyMap<string, string>;

type Identifiers = readonly { readonly id: string }[];

/**
 * Finds the names of records to which a record refers. Each method returns the member of the record, and no member if the id is
 * undefined: the service does not say it.
 */
export interface References {
  readonly one: <M extends string>(
    member: M,
    names: Names,
    id: string | null | undefined,
  ) => Promise<{ readonly [K in M]?: string | null }>;
  readonly all: <M extends string>(
    member: M,
    names: Names,
    ids: Identifiers | undefined,
  ) => Promise<{ readonly [K in M]?: string[] }>;
}

/**
 * Creates the functions that find the names to which a record refers.
 * @param withhold notes that some of them are not included.
 */
export const referencesOf = (
  withhold: (missing: Withheld) => Promise<void>,
  type: RecordType,
  name: string,
): References => {
  const find = async (member: string, names: Names, ids: Identifiers): Promise<string[]> => {
    const found = ids.flatMap(({ id }) => names.get(id) ?? []);
    const lost = ids.length - found.length;
    if (lost > 0) {
      const detail = `${member}: ${lost} of ${ids.length} are not included.`;
      await withhold({ type, name, reason: 'not-included', detail });
    }
    return found.sort();
  };
  return {
    one: async (member, names, id) =>
      (id === undefined ? {} : { [member]: id && ((await find(member, names, [{ id }]))[0] ?? null) }) as never,
    all: async (member, names, ids) => (ids === undefined ? {} : { [member]: await find(member, names, ids) }) as never,
  };
};

/** Names of the records of the organization by their ids, for the records of workspaces. */
export interface DirectoryNames {
  readonly projects: Names;
  readonly teams: Names;
  readonly agentPools: Names;
  readonly sshKeys: Names;
  /** By the ids of their tokens. */
  readonly connections: Names;
}

const namesOf = (items: readonly { readonly id: string; readonly attributes: { readonly name: string } }[]): Names =>
  new Map(items.map(({ id, attributes }) => [id, attributes.name]));

const originOf = <T extends { readonly id: string; readonly attributes: { readonly 'created-at'?: string } }>({
  id,
  attributes,
}: T) => ({ id, ...(attributes['created-at'] !== undefined && { 'created-at': attributes['created-at'] }) });

const toProject = ({ id, attributes }: Project, bindings: readonly Schemas['TagBinding'][]) => {
  const own = attributes['setting-overwrites'];
  return {
    ...pick(attributes, ['name', 'description', 'auto-destroy-activity-duration', 'allowed-value-references']),
    'default-execution-mode': own['default-execution-mode'] ? attributes['default-execution-mode'] : null,
    'default-deletion-protection': own['default-deletion-protection']
      ? attributes['default-deletion-protection']
      : null,
    'tag-bindings': toTagBindings(bindings),
    origin: originOf({ id, attributes }),
  };
};

/** Everything that the parts of the reading work with. */
interface Parts extends Sink {
  readonly reader: Reader;
  readonly organization: Organization;
  /** Names of the workspaces by their ids. */
  readonly workspaces: Names;
  readonly names: DirectoryNames;
  readonly projects: readonly Project[];
  readonly teams: readonly Schemas['Team'][];
  readonly pools: readonly Schemas['AgentPool'][];
  readonly keys: readonly Schemas['SshKey'][];
  readonly connections: readonly Schemas['OauthClient'][];
  readonly references: (type: RecordType, name: string) => References;
  readonly notPermitted: (type: RecordType, owner: string, detail: string) => Promise<void>;
  /** Reads a list, and notes it as withheld where the caller may not read it. */
  readonly readList: <T>(type: RecordType, request: ListRequest<T>) => Promise<readonly T[]>;
}

const readSettings = async ({ add, references, reader, organization, names }: Parts): Promise<void> => {
  const { attributes, relationships } = organization;
  const { name } = attributes;
  const retention = await reader.readOptional(showDefaultRetentionPolicy(name));
  const limits = await reader.readOptional(listTokenTtlPolicies(name));
  const { one } = references('organization', name);
  await add('organization', {
    name,
    ...pick(attributes, organizationSettings),
    ...(await one('default-project', names.projects, idOf(relationships['default-project']))),
    ...(await one('default-agent-pool', names.agentPools, idOf(relationships['default-agent-pool']))),
    'data-retention-policy': retention === undefined ? null : toRetention(retention.document.data),
    ...(limits !== undefined && {
      'token-ttl-policies': Object.fromEntries(
        limits.document.data.map((limit) => [limit.attributes['token-type'], limit.attributes['max-ttl-ms']]),
      ),
    }),
    origin: pick(attributes, ['external-id', 'created-at']),
  });
};

const readProjects = async ({ add, references, reader, projects, names, notPermitted }: Parts): Promise<void> => {
  for (const project of projects) {
    const { id, attributes, relationships } = project;
    const { name } = attributes;
    const bindings = await reader.list((page) =>
      apiRequest('get', '/api/v2/projects/{project_id}/tag-bindings', {
        path: { project_id: id },
        query: { 'page[number]': page, 'page[size]': 100 },
      }),
    );
    const pool = attributes['setting-overwrites']['default-agent-pool']
      ? idOf(relationships['default-agent-pool'])
      : null;
    await add('projects', {
      ...toProject(project, bindings),
      ...(await references('projects', name).one('default-agent-pool', names.agentPools, pool)),
    });
    if (attributes.permissions['can-read-teams']) await readProjectAccess({ add, reader, names, project });
    else await notPermitted('project-access', name, `The caller may not read who has access to ${name}.`);
  }
};

const readProjectAccess = async ({
  add,
  reader,
  names,
  project,
}: Pick<Parts, 'add' | 'reader' | 'names'> & { readonly project: Project }): Promise<void> => {
  for (const { id, attributes, relationships } of await reader.list((page) =>
    listProjectAccess(project.id, page, 100),
  )) {
    const team = names.teams.get(relationships.team.data.id);
    // The list of teams notes that secret ones are missing.
    if (team === undefined) continue;
    const { access, ...parts } = attributes;
    await add('project-access', {
      project: project.attributes.name,
      team,
      access,
      ...(access === 'custom' && parts),
      origin: { id },
    });
  }
};

const readPeople = async ({ add, references, readList, organization, teams, names }: Parts): Promise<void> => {
  for (const { id, attributes } of teams) await add('teams', { ...pick(attributes, teamSettings), origin: { id } });
  for (const membership of await readList<Schemas['OrganizationMembership']>('memberships', (page) =>
    listMemberships(organization.attributes.name, page),
  )) {
    const { email, username, status } = membership.attributes;
    await add('memberships', {
      email,
      ...(await references('memberships', email).all('teams', names.teams, membership.relationships.teams.data)),
      origin: { ...originOf(membership), username: username || null, status },
    });
  }
};

const readIntegrations = async (parts: Parts): Promise<void> => {
  const { add, references, readList, organization, workspaces, names, pools, keys, connections } = parts;
  for (const pool of pools) {
    const { attributes, relationships } = pool;
    const { all } = references('agent-pools', attributes.name);
    await add('agent-pools', {
      ...pick(attributes, ['name', 'organization-scoped']),
      ...(await all('allowed-workspaces', workspaces, relationships['allowed-workspaces'].data)),
      ...(await all('allowed-projects', names.projects, relationships['allowed-projects'].data)),
      ...(await all('excluded-workspaces', workspaces, relationships['excluded-workspaces'].data)),
      origin: originOf(pool),
    });
  }
  for (const { id, attributes } of keys) {
    await add('ssh-keys', { name: attributes.name, needs: 'private-key', origin: { id } });
  }
  for (const connection of connections) {
    const { attributes, relationships } = connection;
    const { all } = references('vcs-connections', attributes.name);
    await add('vcs-connections', {
      ...pick(attributes, ['name', 'service-provider', 'http-url', 'api-url', 'organization-scoped']),
      needs: 'token',
      ...(await all('projects', names.projects, relationships.projects.data)),
      origin: { ...originOf(connection), 'oauth-token-id': relationships['oauth-tokens'].data?.[0]?.id ?? null },
    });
  }
  for (const { id, attributes } of await readList<Schemas['ReservedTagKey']>('reserved-tag-keys', (page) =>
    listReservedTagKeys(organization.attributes.name, page),
  )) {
    await add('reserved-tag-keys', { ...pick(attributes, ['key', 'disable-overrides']), origin: { id } });
  }
};

const readVariableSets = async (parts: Parts): Promise<void> => {
  const { add, references, reader, readList, organization, workspaces, names } = parts;
  for (const set of await readList<Schemas['VariableSet']>('variable-sets', (page) =>
    listVariableSets(organization.attributes.name, page),
  )) {
    const { attributes, relationships } = set;
    const { name } = attributes;
    const { data: owner } = relationships.parent;
    const { one, all } = references('variable-sets', name);
    await add('variable-sets', {
      ...pick(attributes, setSettings),
      ...(await one('owner-project', names.projects, owner?.type === 'organizations' ? null : owner?.id)),
      ...(await all('workspaces', workspaces, relationships.workspaces.data)),
      ...(await all('projects', names.projects, relationships.projects.data)),
      origin: { ...originOf(set), ...pick(attributes, ['updated-at']) },
    });
    for (const variable of await reader.list((page) => listSetVariables(set.id, page))) {
      await add('variable-set-variables', { 'variable-set': name, ...toVariable(variable) });
    }
  }
};

const readIdentities = async (parts: Parts): Promise<void> => {
  const { add, references, readList, organization, workspaces, names } = parts;
  for (const identity of await readList<Schemas['WorkloadIdentity']>('workload-identities', (page) =>
    listWorkloadIdentities(organization.attributes.name, page),
  )) {
    const { attributes, relationships } = identity;
    const { one, all } = references('workload-identities', attributes.name);
    await add('workload-identities', {
      ...pick(attributes, identitySettings),
      ...(await one('team', names.teams, idOf(relationships.team))),
      // An absent list does not limit the tokens, an empty one does.
      ...(await all('projects', names.projects, relationships.projects?.data)),
      ...(await all('workspaces', workspaces, relationships.workspaces?.data)),
      origin: originOf(identity),
    });
  }
};

/** Notes what lists leave out without saying so: they contain what the caller may read. */
const noteLimits = async ({ organization, notPermitted }: Parts): Promise<void> => {
  const { name, permissions } = organization.attributes;
  if (!permissions['can-read-varsets']) {
    for (const type of ['workspaces', 'projects', 'variable-sets'] as const) {
      await notPermitted(type, name, `The caller may see only some ${type}.`);
    }
  }
  if (!permissions['can-create-team']) {
    await notPermitted('teams', name, 'The caller sees no secret teams but their own.');
    await notPermitted('workload-identities', name, 'The caller may see only some workload identities.');
  }
  if (!permissions['can-manage-membership']) {
    await notPermitted('memberships', name, 'The caller sees only their own membership.');
  }
};

/**
 * Reads everything of the organization but its workspaces.
 * @param workspaces names of the workspaces by their ids.
 * @returns the names of what workspaces refer to.
 */
export const readDirectory = async (
  reader: Reader,
  { add }: Sink,
  organization: Organization,
  workspaces: Names,
): Promise<DirectoryNames> => {
  const { name } = organization.attributes;
  const withhold = (missing: Withheld): Promise<void> => add('withheld', missing);
  const notPermitted: Parts['notPermitted'] = (type, owner, detail) =>
    withhold({ type, name: owner, reason: 'not-permitted', detail });
  const readList: Parts['readList'] = async (type, request) => {
    const items = await reader.listOptional(request);
    if (items === undefined) await notPermitted(type, name, `The caller may not read ${type}.`);
    return items ?? [];
  };
  const projects = await readList<Project>('projects', (page) => listProjects(name, page, 100));
  const teams = await readList<Schemas['Team']>('teams', (page) => listTeamsOnly(name, page));
  const pools = await readList<Schemas['AgentPool']>('agent-pools', (page) => listAgentPools(name, page));
  const keys = await readList<Schemas['SshKey']>('ssh-keys', (page) => listSshKeys(name, page, 100));
  const connections = await readList<Schemas['OauthClient']>('vcs-connections', (page) =>
    listVcsConnections(name, page, 100),
  );
  const names: DirectoryNames = {
    projects: namesOf(projects),
    teams: namesOf(teams),
    agentPools: namesOf(pools),
    sshKeys: namesOf(keys),
    connections: new Map(
      connections.flatMap(({ attributes, relationships }) =>
        (relationships['oauth-tokens'].data ?? []).map(({ id }) => [id, attributes.name] as const),
      ),
    ),
  };
  const parts: Parts = {
    references: (type, owner) => referencesOf(withhold, type, owner),
    ...{ add, reader, organization, workspaces, names, notPermitted, readList },
    ...{ projects, teams, pools, keys, connections },
  };
  for (const run of [
    readSettings,
    readProjects,
    readPeople,
    readIntegrations,
    readVariableSets,
    readIdentities,
    noteLimits,
  ]) {
    await run(parts);
  }
  return names;
};
