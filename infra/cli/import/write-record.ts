import type { RecordOf } from '../../../shared/bundle/types.ts';
import { addConsumers } from '../../../shared/client/consumers.ts';
import { updateOrganization } from '../../../shared/client/organizations.ts';
import { replaceProjectTagBindings } from '../../../shared/client/projects.ts';
import { type ApiRequest, apiRequest } from '../../../shared/client/request.ts';
import {
  deleteDefaultRetentionPolicy,
  deleteRetentionPolicy,
  setDefaultRetentionPolicy,
  setRetentionPolicy,
} from '../../../shared/client/retention.ts';
import type { Reply } from '../../../shared/client/send.ts';
import { addTeamMember } from '../../../shared/client/teams.ts';
import { setTokenTtlPolicies } from '../../../shared/client/tokens.ts';
import type { Workspace } from '../../../shared/client/types.ts';
import { changeAssignment } from '../../../shared/client/variable-sets.ts';
import type { VariableOwner } from '../../../shared/client/variables.ts';
import { createVariable, updateVariable } from '../../../shared/client/variables.ts';
import {
  addTags,
  assignSshKey,
  removeTags,
  replaceTagBindings,
  updateWorkspace,
} from '../../../shared/client/workspaces.ts';
import { Failure } from '../failure.ts';
import type { Members } from './compare.ts';
import type { InventoryType } from './inventory.ts';
import type { SecretValue } from './secrets.ts';

/** Dependencies of the writing of records. */
export interface Destination {
  /** Name of the organization. */
  readonly organization: string;
  /** Returns the id of a record at the target, which must exist. For VCS connections: that of its token. */
  readonly idOf: (type: InventoryType, name: string) => string;
  /** Says where a workspace is from. */
  readonly importedFrom: (record: RecordOf<'workspaces'>) => NonNullable<Workspace['attributes']['imported-from']>;
  /** Makes the id of a new record known. */
  readonly created: (type: InventoryType, name: string, id: string) => void;
  /** Sends a request of the record that is written, which the journal notes. */
  readonly write: <D>(request: ApiRequest<D>) => Promise<Reply<D>>;
  /** Value of a secret that the source does not give. */
  readonly secret: (type: InventoryType, name: string) => Promise<SecretValue>;
}

/** A record to write: what the source says, what the target has, and the members that differ. */
interface Change<T extends InventoryType> {
  readonly record: RecordOf<T>;
  /** Undefined: it is created. */
  readonly present: RecordOf<T> | undefined;
  readonly members: readonly string[];
}

type Writer<T extends InventoryType> = (to: Destination, change: Change<T>) => Promise<void>;

/** Returns the members that differ, of those that are attributes with the same name and value. */
const attributesOf = <T extends InventoryType>(
  { record, members }: Change<T>,
  others: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(members.filter((name) => !others.includes(name)).map((name) => [name, (record as Members)[name]]));

const idOfPresent = <T extends InventoryType>({ present }: Change<T>): string => {
  const id = (present as { readonly origin?: { readonly id?: string } } | undefined)?.origin?.id;
  if (id === undefined) throw new Failure('failed', 'The target has returned a record without an id.');
  return id;
};

const identifiers = <T extends 'workspaces' | 'projects'>(to: Destination, type: T, names: readonly string[]) =>
  names.map((name) => ({ type, id: to.idOf(type, name) }));

type Retention = RecordOf<'workspaces'>['data-retention-policy'];

const daysOf = (policy: NonNullable<Retention>): number | undefined => policy['delete-older-than-n-days'] ?? undefined;

const writeOrganization: Writer<'organization'> = async (to, change) => {
  const { organization } = to;
  const { record, members } = change;
  const limits = record['token-ttl-policies'];
  if (members.includes('token-ttl-policies') && limits !== undefined) {
    const policies = Object.entries(limits).map(([type, max]) => ({ 'token-type': type, 'max-ttl-ms': max }));
    await to.write(setTokenTtlPolicies(organization, policies as never));
  }
  if (members.includes('data-retention-policy')) {
    const policy = record['data-retention-policy'];
    await to.write(
      policy ? setDefaultRetentionPolicy(organization, daysOf(policy)) : deleteDefaultRetentionPolicy(organization),
    );
  }
  const pool = record['default-agent-pool'];
  const attributes = {
    ...attributesOf(change, ['token-ttl-policies', 'data-retention-policy', 'default-agent-pool']),
    ...(members.includes('default-agent-pool') && {
      'default-agent-pool-id': pool ? to.idOf('agent-pools', pool) : null,
    }),
  };
  if (Object.keys(attributes).length > 0) await to.write(updateOrganization(organization, attributes));
};

const writeProject: Writer<'projects'> = async (to, change) => {
  const { record, present, members } = change;
  const pool = record['default-agent-pool'];
  const attributes = {
    ...attributesOf(change, ['tag-bindings', 'default-agent-pool']),
    ...(members.includes('default-agent-pool') && pool && { 'default-agent-pool-id': to.idOf('agent-pools', pool) }),
  };
  const bindings = Object.entries(record['tag-bindings'] ?? {}).map(([key, value]) => ({ key, value }));
  let id: string;
  if (present === undefined) {
    const { document } = await to.write(
      apiRequest('post', '/api/v2/organizations/{organization_name}/projects', {
        path: { organization_name: to.organization },
        body: { data: { type: 'projects', attributes: { ...attributes, name: record.name } } },
      }),
    );
    id = document.data.id;
    to.created('projects', record.name, id);
    if (bindings.length === 0) return;
  } else {
    id = idOfPresent(change);
    if (Object.keys(attributes).length > 0) {
      await to.write(
        apiRequest('patch', '/api/v2/projects/{project_id}', {
          path: { project_id: id },
          body: { data: { type: 'projects', attributes } },
        }),
      );
    }
  }
  if (members.includes('tag-bindings')) await to.write(replaceProjectTagBindings(id, bindings, undefined));
};

const writeTeam: Writer<'teams'> = async (to, change) => {
  const { record, present } = change;
  const attributes = attributesOf(change, []);
  if (present !== undefined) {
    const body = { data: { type: 'teams' as const, attributes } };
    await to.write(apiRequest('patch', '/api/v2/teams/{team_id}', { path: { team_id: idOfPresent(change) }, body }));
    return;
  }
  const { document } = await to.write(
    apiRequest('post', '/api/v2/organizations/{organization_name}/teams', {
      path: { organization_name: to.organization },
      body: { data: { type: 'teams', attributes: { ...attributes, name: record.name } } },
    }),
  );
  to.created('teams', record.name, document.data.id);
};

const writeMembership: Writer<'memberships'> = async (to, change) => {
  const { record, present } = change;
  const teams = record.teams ?? [];
  if (present === undefined) {
    await to.write(
      apiRequest('post', '/api/v2/organizations/{organization_name}/organization-memberships', {
        path: { organization_name: to.organization },
        body: {
          data: {
            type: 'organization-memberships',
            attributes: { email: record.email },
            relationships: {
              teams: { data: teams.map((name) => ({ type: 'teams' as const, id: to.idOf('teams', name) })) },
            },
          },
        },
      }),
    );
    return;
  }
  for (const team of teams) {
    if (!present.teams?.includes(team)) await to.write(addTeamMember(to.idOf('teams', team), idOfPresent(change)));
  }
};

const writeAgentPool: Writer<'agent-pools'> = async (to, change) => {
  const { record, present, members } = change;
  const scopes = ['allowed-projects', 'allowed-workspaces', 'excluded-workspaces'] as const;
  const attributes = attributesOf(change, scopes);
  const relationships = Object.fromEntries(
    scopes
      .filter((scope) => members.includes(scope))
      .map((scope) => [
        scope,
        { data: identifiers(to, scope === 'allowed-projects' ? 'projects' : 'workspaces', record[scope] ?? []) },
      ]),
  );
  if (present !== undefined) {
    await to.write(
      apiRequest('patch', '/api/v2/agent-pools/{agent_pool_id}', {
        path: { agent_pool_id: idOfPresent(change) },
        body: { data: { type: 'agent-pools', attributes, relationships } },
      }),
    );
    return;
  }
  const { document } = await to.write(
    apiRequest('post', '/api/v2/organizations/{organization_name}/agent-pools', {
      path: { organization_name: to.organization },
      body: { data: { type: 'agent-pools', attributes: { ...attributes, name: record.name }, relationships } },
    }),
  );
  to.created('agent-pools', record.name, document.data.id);
};

const textOf = (secret: SecretValue, what: string): string => {
  if ('value' in secret) return secret.value;
  throw new Failure('usage', `${what} cannot be a reference.`, { hint: 'Give its value, or the name of a variable.' });
};

const writeSshKey: Writer<'ssh-keys'> = async (to, { record: { name }, present }) => {
  if (present !== undefined) return;
  const value = textOf(await to.secret('ssh-keys', name), `The private key of ${name}`);
  const { document } = await to.write(
    apiRequest('post', '/api/v2/organizations/{organization_name}/ssh-keys', {
      path: { organization_name: to.organization },
      body: { data: { type: 'ssh-keys', attributes: { name, value } } },
    }),
  );
  to.created('ssh-keys', name, document.data.id);
};

const writeVcsConnection: Writer<'vcs-connections'> = async (to, change) => {
  const { record, present, members } = change;
  const attributes = attributesOf(change, ['projects', 'api-url']);
  const address = members.includes('api-url') && record['api-url'] ? { 'api-url': record['api-url'] } : {};
  const relationships = members.includes('projects')
    ? { projects: { data: identifiers(to, 'projects', record.projects ?? []) } }
    : {};
  if (present !== undefined) {
    const { 'service-provider': _, ...changes } = attributes;
    await to.write(
      apiRequest('patch', '/api/v2/oauth-clients/{oauth_client_id}', {
        path: { oauth_client_id: idOfPresent(change) },
        body: { data: { type: 'oauth-clients', attributes: { ...changes, ...address }, relationships } },
      }),
    );
    return;
  }
  const token = textOf(await to.secret('vcs-connections', record.name), `The token of ${record.name}`);
  const created = { ...attributes, ...address, 'oauth-token-string': token };
  const { document } = await to.write(
    apiRequest('post', '/api/v2/organizations/{organization_name}/oauth-clients', {
      path: { organization_name: to.organization },
      body: { data: { type: 'oauth-clients', attributes: created as never, relationships } },
    }),
  );
  to.created('vcs-connections', record.name, document.data.relationships['oauth-tokens'].data?.[0]?.id ?? '');
};

const writeReservedKey: Writer<'reserved-tag-keys'> = async (to, change) => {
  const { record, present } = change;
  const body = {
    data: { type: 'reserved-tag-keys' as const, attributes: { ...attributesOf(change, []), key: record.key } },
  };
  await to.write(
    present === undefined
      ? apiRequest('post', '/api/v2/organizations/{organization_name}/reserved-tag-keys', {
          path: { organization_name: to.organization },
          body,
        })
      : apiRequest('patch', '/api/v2/reserved-tag-keys/{reserved_tag_key_id}', {
          path: { reserved_tag_key_id: idOfPresent(change) },
          body,
        }),
  );
};

const writeProjectAccess: Writer<'project-access'> = async (to, change) => {
  const { record, present } = change;
  const { project, team, origin: _, ...attributes } = record;
  if (present !== undefined) {
    await to.write(
      apiRequest('patch', '/api/v2/team-projects/{team_project_id}', {
        path: { team_project_id: idOfPresent(change) },
        body: { data: { type: 'team-projects', attributes: attributes as never } },
      }),
    );
    return;
  }
  await to.write(
    apiRequest('post', '/api/v2/team-projects', {
      body: {
        data: {
          type: 'team-projects',
          attributes: attributes as never,
          relationships: {
            team: { data: { id: to.idOf('teams', team) } },
            project: { data: { id: to.idOf('projects', project) } },
          },
        },
      },
    }),
  );
};

const writeWorkspaceAccess: Writer<'workspace-access'> = async (to, change) => {
  const { record, present } = change;
  const attributes = { access: record.access, ...record.parts } as never;
  if (present !== undefined) {
    await to.write(
      apiRequest('patch', '/api/v2/team-workspaces/{team_workspace_id}', {
        path: { team_workspace_id: idOfPresent(change) },
        body: { data: { type: 'team-workspaces', attributes } },
      }),
    );
    return;
  }
  await to.write(
    apiRequest('post', '/api/v2/team-workspaces', {
      body: {
        data: {
          type: 'team-workspaces',
          attributes,
          relationships: {
            team: { data: { id: to.idOf('teams', record.team) } },
            workspace: { data: { id: to.idOf('workspaces', record.workspace) } },
          },
        },
      },
    }),
  );
};

const writeConsumer: Writer<'remote-state-consumers'> = async (to, { record: { workspace, consumer }, present }) => {
  if (present !== undefined) return;
  await to.write(addConsumers(to.idOf('workspaces', workspace), [to.idOf('workspaces', consumer)]));
};

const writeVariableSet: Writer<'variable-sets'> = async (to, change) => {
  const { record, present, members } = change;
  const attributes = attributesOf(change, ['owner-project', 'projects', 'workspaces']);
  let id: string;
  if (present === undefined) {
    const owner = record['owner-project'];
    const { document } = await to.write(
      apiRequest('post', '/api/v2/organizations/{organization_name}/varsets', {
        path: { organization_name: to.organization },
        body: {
          data: {
            type: 'varsets',
            attributes,
            ...(owner && { relationships: { parent: { data: { type: 'projects', id: to.idOf('projects', owner) } } } }),
          },
        },
      }),
    );
    id = document.data.id;
    to.created('variable-sets', record.name, id);
  } else {
    id = idOfPresent(change);
    if (Object.keys(attributes).length > 0) {
      await to.write(
        apiRequest('patch', '/api/v2/varsets/{varset_id}', {
          path: { varset_id: id },
          body: { data: { type: 'varsets', attributes } },
        }),
      );
    }
  }
  for (const kind of ['projects', 'workspaces'] as const) {
    if (!members.includes(kind)) continue;
    const wanted = record[kind] ?? [];
    const found = present?.[kind] ?? [];
    for (const name of wanted) {
      if (!found.includes(name)) await to.write(changeAssignment(id, kind, to.idOf(kind, name), true));
    }
    for (const name of found) {
      if (!wanted.includes(name)) await to.write(changeAssignment(id, kind, to.idOf(kind, name), false));
    }
  }
};

/** Writes a variable. A value that the source does not give is a secret of the user. */
const writeVariable = async <T extends 'variables' | 'variable-set-variables'>(
  to: Destination,
  type: T,
  owner: VariableOwner,
  name: string,
  change: Change<T>,
): Promise<void> => {
  const { record, present } = change;
  const { key, category, needs } = record;
  const attributes = attributesOf(change, ['workspace', 'variable-set', 'value', 'value-reference', 'key', 'category']);
  const secret = needs === 'value' && present === undefined ? await to.secret(type, name) : undefined;
  const value = {
    ...(change.members.includes('value') && record.value !== null && { value: record.value }),
    ...(change.members.includes('value-reference') && { 'value-reference': record['value-reference'] }),
    ...(secret && ('reference' in secret ? { 'value-reference': secret.reference } : { value: secret.value })),
  };
  const isReference = typeof value['value-reference'] === 'string';
  const input = { ...attributes, ...(isReference ? { 'value-reference': value['value-reference'] } : value) };
  await to.write(
    present === undefined
      ? createVariable(owner, { key, category, ...input } as never)
      : updateVariable(owner, idOfPresent(change), input as never, {
          ifMatch: undefined,
          isSensitive: record.sensitive === true,
        }),
  );
};

/** Writes the name of a variable with that of its owner before it. */
const writeWorkspaceVariable: Writer<'variables'> = (to, change) => {
  const { workspace, category, key } = change.record;
  const owner = { type: 'workspaces' as const, id: to.idOf('workspaces', workspace) };
  return writeVariable(to, 'variables', owner, `${workspace}/${category}/${key}`, change);
};

const writeSetVariable: Writer<'variable-set-variables'> = (to, change) => {
  const { 'variable-set': set, category, key } = change.record;
  const owner = { type: 'varsets' as const, id: to.idOf('variable-sets', set) };
  return writeVariable(to, 'variable-set-variables', owner, `${set}/${category}/${key}`, change);
};

const writeIdentity: Writer<'workload-identities'> = async (to, change) => {
  const { record, present, members } = change;
  const attributes = attributesOf(change, ['team', 'projects', 'workspaces']);
  const relationships = {
    ...(members.includes('team') && record.team && { team: { data: { id: to.idOf('teams', record.team) } } }),
    ...(members.includes('projects') && { projects: { data: identifiers(to, 'projects', record.projects ?? []) } }),
    ...(members.includes('workspaces') && {
      workspaces: { data: identifiers(to, 'workspaces', record.workspaces ?? []) },
    }),
  } as never;
  await to.write(
    present === undefined
      ? apiRequest('post', '/api/v2/organizations/{organization_name}/workload-identities', {
          path: { organization_name: to.organization },
          body: { data: { type: 'workload-identities', attributes: attributes as never, relationships } },
        })
      : apiRequest('patch', '/api/v2/workload-identities/{workload_identity_id}', {
          path: { workload_identity_id: idOfPresent(change) },
          body: { data: { type: 'workload-identities', attributes, relationships } },
        }),
  );
};

/** Members of a workspace that are no attributes of the same name. */
const otherMembers = [
  'project',
  'agent-pool',
  'execution-mode',
  'deletion-protection',
  'ssh-key',
  'vcs-connection',
  'vcs-repo',
  'tag-names',
  'tag-bindings',
  'data-retention-policy',
  'auto-destroy-activity-duration',
] as const;

/** Converts the members that are other attributes. Null means that a setting is inherited. */
const toAttributes = (to: Destination, change: Change<'workspaces'>): Record<string, unknown> => {
  const { record, members } = change;
  const has = (member: (typeof otherMembers)[number]): boolean => members.includes(member);
  const { 'execution-mode': mode, 'agent-pool': pool, 'deletion-protection': isProtected } = record;
  const attributes = attributesOf(change, otherMembers);
  const overwrites: Record<string, boolean> = {};
  if (has('execution-mode') || has('agent-pool')) {
    overwrites['execution-mode'] = mode !== null && mode !== undefined;
    if (mode) attributes['execution-mode'] = mode;
    if (mode === 'agent' && pool) attributes['agent-pool-id'] = to.idOf('agent-pools', pool);
  }
  if (has('deletion-protection')) {
    overwrites['deletion-protection'] = typeof isProtected === 'boolean';
    if (typeof isProtected === 'boolean') attributes['deletion-protection'] = isProtected;
  }
  if (Object.keys(overwrites).length > 0) attributes['setting-overwrites'] = overwrites;
  if (has('auto-destroy-activity-duration') && record['inherits-project-auto-destroy'] !== true) {
    attributes['auto-destroy-activity-duration'] = record['auto-destroy-activity-duration'];
  }
  if (has('vcs-repo') || has('vcs-connection')) {
    const repository = record['vcs-repo'];
    const connection = record['vcs-connection'];
    attributes['vcs-repo'] = repository && {
      ...repository,
      ...(connection && { 'oauth-token-id': to.idOf('vcs-connections', connection) }),
    };
  }
  return attributes;
};

const writeTags = async (to: Destination, id: string, change: Change<'workspaces'>): Promise<void> => {
  const { record, present, members } = change;
  if (members.includes('tag-names')) {
    const wanted = record['tag-names'] ?? [];
    const found = present?.['tag-names'] ?? [];
    const added = wanted.filter((tag) => !found.includes(tag));
    const removed = found.filter((tag) => !wanted.includes(tag));
    if (added.length > 0) await to.write(addTags(id, added));
    if (removed.length > 0) await to.write(removeTags(id, removed));
  }
  const bindings = Object.entries(record['tag-bindings'] ?? {}).map(([key, value]) => ({ key, value }));
  const isChanged = members.includes('tag-bindings') && (present !== undefined || bindings.length > 0);
  if (isChanged) await to.write(replaceTagBindings(id, bindings, undefined));
};

const writeWorkspace: Writer<'workspaces'> = async (to, change) => {
  const { record, present, members } = change;
  const attributes = toAttributes(to, change);
  const project =
    members.includes('project') && record.project
      ? { project: { data: { id: to.idOf('projects', record.project) } } }
      : undefined;
  let id: string;
  if (present === undefined) {
    const { 'vcs-repo': repository, ...others } = attributes;
    const { document } = await to.write(
      apiRequest('post', '/api/v2/organizations/{organization_name}/workspaces', {
        path: { organization_name: to.organization },
        body: {
          data: {
            type: 'workspaces',
            attributes: {
              ...others,
              ...(repository ? { 'vcs-repo': repository } : {}),
              ...{ name: record.name, 'imported-from': to.importedFrom(record) },
            },
            ...(project && { relationships: project }),
          },
        },
      }),
    );
    id = document.data.id;
    to.created('workspaces', record.name, id);
  } else {
    id = idOfPresent(change);
    // Only a creation says who has created it.
    const { 'source-name': _, 'source-url': __, ...changes } = attributes;
    if (Object.keys(changes).length > 0 || project !== undefined) {
      await to.write(updateWorkspace(id, { attributes: changes, ...(project && { relationships: project }) }));
    }
  }
  await writeTags(to, id, change);
  if (members.includes('ssh-key') && (present !== undefined || record['ssh-key'])) {
    const key = record['ssh-key'];
    await to.write(assignSshKey(id, key ? to.idOf('ssh-keys', key) : null));
  }
  const policy = record['data-retention-policy'];
  if (members.includes('data-retention-policy') && (present !== undefined || policy)) {
    await to.write(policy ? setRetentionPolicy(id, daysOf(policy)) : deleteRetentionPolicy(id));
  }
};

/** Writes a record of each type. State versions are copied (copy-states.ts). */
export const writers: { readonly [T in Exclude<InventoryType, 'state-versions'>]: Writer<T> } = {
  organization: writeOrganization,
  projects: writeProject,
  teams: writeTeam,
  memberships: writeMembership,
  'agent-pools': writeAgentPool,
  'ssh-keys': writeSshKey,
  'vcs-connections': writeVcsConnection,
  'reserved-tag-keys': writeReservedKey,
  'project-access': writeProjectAccess,
  workspaces: writeWorkspace,
  'workspace-access': writeWorkspaceAccess,
  'remote-state-consumers': writeConsumer,
  variables: writeWorkspaceVariable,
  'variable-sets': writeVariableSet,
  'variable-set-variables': writeSetVariable,
  'workload-identities': writeIdentity,
};
