import { isDeepStrictEqual } from 'node:util';
import type { RecordType } from '../../../shared/bundle/types.ts';
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
import type { BundleWriter } from '../bundle/writer.ts';
import { everyOf } from '../every-of.ts';
import type { ListRequest, Reader } from './reader.ts';
import { pick, toRetention, toTagBindings, toVariable, type Withheld } from './workspaces.ts';

type Organization = Schemas['Organization'];
type OrganizationBody = NonNullable<Schemas['OrganizationUpdateBody']['data']['attributes']>;

const organizationSettings = everyOf<Exclude<keyof OrganizationBody, 'default-agent-pool-id'>>()(
  'email',
  'default-execution-mode',
  'default-deletion-protection',
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

/** Readings of a list until two in a row agree. */
const READINGS = 5;

/**
 * Reads a list until two readings in a row agree, because items move between its pages while others are created and deleted.
 */
const settled = async <T>(read: () => Promise<T>): Promise<T> => {
  let former = await read();
  for (let reading = 2; reading <= READINGS; reading += 1) {
    const found = await read();
    if (isDeepStrictEqual(found, former)) break;
    former = found;
  }
  return former;
};

/** The names of exported records by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Finds the names of records that others refer to. */
export interface References {
  /**
   * Returns the name of a record. If it is not in the bundle, the owner of the reference is noted as incomplete.
   * @param owner type and name of the record that refers to it, and the member.
   */
  readonly one: (names: Names, id: string | null | undefined, owner: Owner) => Promise<string | null>;
  readonly all: (names: Names, ids: readonly { readonly id: string }[], owner: Owner) => Promise<readonly string[]>;
}

type Owner = readonly [type: RecordType, name: string, member: string];

/** Creates the functions that find names. @param withhold notes what is missing. */
export const createReferences = (withhold: (missing: Withheld) => Promise<void>): References => {
  const all: References['all'] = async (names, ids, [type, name, member]) => {
    const found = ids.flatMap(({ id }) => names.get(id) ?? []);
    const lost = ids.length - found.length;
    if (lost > 0) {
      const detail = `${member}: ${lost} of ${ids.length} are not in the bundle.`;
      await withhold({ type, name, reason: 'not-included', detail });
    }
    return found.sort();
  };
  return {
    all,
    one: async (names, id, owner) => (id ? ((await all(names, [{ id }], owner))[0] ?? null) : null),
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

/** Everything that the parts of the export work with. */
interface Parts extends References, Pick<BundleWriter, 'add'> {
  readonly reader: Reader;
  readonly organization: Organization;
  /** Names of the workspaces in the bundle, by their ids. */
  readonly workspaces: Names;
  readonly names: DirectoryNames;
  readonly projects: readonly Project[];
  readonly teams: readonly Schemas['Team'][];
  readonly pools: readonly Schemas['AgentPool'][];
  readonly keys: readonly Schemas['SshKey'][];
  readonly connections: readonly Schemas['OauthClient'][];
  readonly notPermitted: (type: RecordType, owner: string, detail: string) => Promise<void>;
  /** Reads a list, and notes it as withheld where the caller may not read it. */
  readonly readList: <T>(type: RecordType, request: ListRequest<T>) => Promise<readonly T[]>;
}

const exportSettings = async ({ add, one, reader, organization, names }: Parts): Promise<void> => {
  const { attributes, relationships } = organization;
  const { name } = attributes;
  const retention = await reader.readOptional(showDefaultRetentionPolicy(name));
  const limits = (await reader.read(listTokenTtlPolicies(name))).document.data;
  const at = (member: string): Owner => ['organization', name, member];
  await add('organization', {
    name,
    ...pick(attributes, organizationSettings),
    'default-project': await one(names.projects, relationships['default-project'].data?.id, at('default-project')),
    'default-agent-pool': await one(
      names.agentPools,
      relationships['default-agent-pool'].data?.id,
      at('default-agent-pool'),
    ),
    'data-retention-policy': retention === undefined ? null : toRetention(retention.document.data),
    'token-ttl-policies': Object.fromEntries(
      limits.map((limit) => [limit.attributes['token-type'], limit.attributes['max-ttl-ms']]),
    ),
    origin: { 'external-id': attributes['external-id'], 'created-at': attributes['created-at'] },
  });
};

const exportProjects = async ({ add, one, reader, projects, names, notPermitted }: Parts): Promise<void> => {
  for (const project of projects) {
    const { id, attributes, relationships } = project;
    const { name } = attributes;
    const bindings = await settled(() =>
      reader.list((page) =>
        apiRequest('get', '/api/v2/projects/{project_id}/tag-bindings', {
          path: { project_id: id },
          query: { 'page[number]': page, 'page[size]': 100 },
        }),
      ),
    );
    const pool = attributes['setting-overwrites']['default-agent-pool']
      ? relationships['default-agent-pool'].data?.id
      : null;
    await add('projects', {
      ...toProject(project, bindings),
      'default-agent-pool': await one(names.agentPools, pool, ['projects', name, 'default-agent-pool']),
    });
    if (attributes.permissions['can-read-teams']) await exportProjectAccess({ add, reader, names, project });
    else await notPermitted('project-access', name, `The caller may not read who has access to ${name}.`);
  }
};

const exportProjectAccess = async ({
  add,
  reader,
  names,
  project,
}: Pick<Parts, 'add' | 'reader' | 'names'> & { readonly project: Project }): Promise<void> => {
  for (const { id, attributes, relationships } of await settled(() =>
    reader.list((page) => listProjectAccess(project.id, page, 100)),
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

const exportPeople = async ({ add, all, readList, organization, teams, names }: Parts): Promise<void> => {
  for (const { id, attributes } of teams) await add('teams', { ...pick(attributes, teamSettings), origin: { id } });
  for (const membership of await readList<Schemas['OrganizationMembership']>('memberships', (page) =>
    listMemberships(organization.attributes.name, page),
  )) {
    const { email, username, status } = membership.attributes;
    await add('memberships', {
      email,
      username: username || null,
      status,
      teams: await all(names.teams, membership.relationships.teams.data, ['memberships', email, 'teams']),
      origin: originOf(membership),
    });
  }
};

const exportIntegrations = async (parts: Parts): Promise<void> => {
  const { add, all, readList, organization, workspaces, names, pools, keys, connections } = parts;
  for (const pool of pools) {
    const { attributes, relationships } = pool;
    const at = (member: string): Owner => ['agent-pools', attributes.name, member];
    const inWorkspaces = (member: 'allowed-workspaces' | 'excluded-workspaces') =>
      all(workspaces, relationships[member].data, at(member));
    await add('agent-pools', {
      ...pick(attributes, ['name', 'organization-scoped']),
      'allowed-workspaces': await inWorkspaces('allowed-workspaces'),
      'allowed-projects': await all(names.projects, relationships['allowed-projects'].data, at('allowed-projects')),
      'excluded-workspaces': await inWorkspaces('excluded-workspaces'),
      origin: originOf(pool),
    });
  }
  for (const { id, attributes } of keys) {
    await add('ssh-keys', { name: attributes.name, needs: 'private-key', origin: { id } });
  }
  for (const connection of connections) {
    const { attributes, relationships } = connection;
    const at: Owner = ['vcs-connections', attributes.name, 'projects'];
    await add('vcs-connections', {
      ...pick(attributes, ['name', 'service-provider', 'http-url', 'api-url', 'organization-scoped']),
      needs: 'token',
      projects: await all(names.projects, relationships.projects.data, at),
      origin: { ...originOf(connection), 'oauth-token-id': relationships['oauth-tokens'].data?.[0]?.id ?? null },
    });
  }
  for (const { id, attributes } of await readList<Schemas['ReservedTagKey']>('reserved-tag-keys', (page) =>
    listReservedTagKeys(organization.attributes.name, page),
  )) {
    await add('reserved-tag-keys', { ...pick(attributes, ['key', 'disable-overrides']), origin: { id } });
  }
};

const exportVariableSets = async (parts: Parts): Promise<void> => {
  const { add, one, all, reader, readList, organization, workspaces, names } = parts;
  for (const set of await readList<Schemas['VariableSet']>('variable-sets', (page) =>
    listVariableSets(organization.attributes.name, page),
  )) {
    const { attributes, relationships } = set;
    const { name } = attributes;
    const { parent } = relationships;
    const at = (member: string): Owner => ['variable-sets', name, member];
    await add('variable-sets', {
      ...pick(attributes, setSettings),
      'owner-project': await one(
        names.projects,
        parent.data.type === 'projects' ? parent.data.id : null,
        at('owner-project'),
      ),
      workspaces: await all(workspaces, relationships.workspaces.data, at('workspaces')),
      projects: await all(names.projects, relationships.projects.data, at('projects')),
      origin: { ...originOf(set), 'updated-at': attributes['updated-at'] },
    });
    for (const variable of await settled(() => reader.list((page) => listSetVariables(set.id, page)))) {
      await add('variable-set-variables', { 'variable-set': name, ...toVariable(variable) });
    }
  }
};

const exportIdentities = async ({ add, one, all, readList, organization, workspaces, names }: Parts): Promise<void> => {
  for (const identity of await readList<Schemas['WorkloadIdentity']>('workload-identities', (page) =>
    listWorkloadIdentities(organization.attributes.name, page),
  )) {
    const { attributes, relationships } = identity;
    const at = (member: string): Owner => ['workload-identities', attributes.name, member];
    await add('workload-identities', {
      ...pick(attributes, identitySettings),
      team: await one(names.teams, relationships.team.data?.id, at('team')),
      // An absent list does not limit the tokens, an empty one does.
      ...(relationships.projects && {
        projects: await all(names.projects, relationships.projects.data, at('projects')),
      }),
      ...(relationships.workspaces && {
        workspaces: await all(workspaces, relationships.workspaces.data, at('workspaces')),
      }),
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
 * Exports everything of the organization but its workspaces.
 * @param workspaces names of the workspaces in the bundle, by their ids.
 * @returns the names of what workspaces refer to.
 */
export const exportDirectory = async (
  reader: Reader,
  { add }: BundleWriter,
  organization: Organization,
  workspaces: Names,
): Promise<DirectoryNames> => {
  const { name } = organization.attributes;
  const withhold = (missing: Withheld): Promise<void> => add('withheld', missing);
  const notPermitted: Parts['notPermitted'] = (type, owner, detail) =>
    withhold({ type, name: owner, reason: 'not-permitted', detail });
  const readList: Parts['readList'] = async (type, request) => {
    const items = await settled(() => reader.listOptional(request));
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
    ...createReferences(withhold),
    ...{ add, reader, organization, workspaces, names, notPermitted, readList },
    ...{ projects, teams, pools, keys, connections },
  };
  for (const run of [
    exportSettings,
    exportProjects,
    exportPeople,
    exportIntegrations,
    exportVariableSets,
    exportIdentities,
    noteLimits,
  ]) {
    await run(parts);
  }
  return names;
};
