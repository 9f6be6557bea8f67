import { timestamp } from '../../../shared/lib/clock.ts';
import type { HcpDescription, HcpNotification, HcpVariable, HcpWorkspace } from './hcp-description.ts';
import { types } from './hcp-endpoints.ts';

/** A resource of JSON:API. */
export interface HcpResource {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, unknown>>;
}

/** A state version as the server keeps it. */
export interface StoredVersion {
  readonly id: string;
  readonly serial: number;
  readonly createdAt: string;
  readonly intermediate: boolean;
  status: string;
  content: Buffer | undefined;
}

/** A workspace as the server keeps it. */
export interface StoredWorkspace {
  readonly id: string;
  readonly described: HcpWorkspace;
  /** State versions, the oldest first. */
  readonly versions: StoredVersion[];
  /** Reason of the lock, if there is one. */
  lock: { readonly reason: string | null; readonly by: string } | undefined;
  /** Status of the current run. */
  run: string | undefined;
}

/** Id of the user to whom the token belongs. */
export const USER = 'user-importer';

const START = Date.parse('2024-01-01T00:00:00.000Z');

/** Builds a resource. @throws Error if the published description does not have an attribute or a relationship. */
const resource = (
  type: string,
  id: string,
  attributes: Readonly<Record<string, unknown>>,
  relationships: Readonly<Record<string, unknown>> = {},
): HcpResource => {
  const known = types[type];
  const strange = [
    ...Object.keys(attributes).filter((name) => !known?.attributes.includes(name)),
    ...Object.keys(relationships).filter((name) => !known?.relationships.includes(name)),
  ];
  if (strange.length > 0) throw new Error(`HCP Terraform has no ${strange.join(', ')} of ${type}.`);
  return { id, type, attributes, relationships };
};

const link = (type: string, id: string | null | undefined) => ({ data: id ? { type, id } : null });
const links = (type: string, ids: readonly string[] = []) => ({ data: ids.map((id) => ({ type, id })) });

const toId = (prefix: string, name: string): string => `${prefix}-${name}`;
const toIds = (prefix: string, names: readonly string[] = []): readonly string[] =>
  names.map((name) => toId(prefix, name));

const toVariables = (
  owner: string,
  variables: readonly HcpVariable[] = [],
  relationships = {},
): readonly HcpResource[] =>
  variables.map(({ key, value, category = 'terraform', sensitive = false, hcl = false, description = '' }, index) =>
    resource(
      'vars',
      `var-${owner}-${index}`,
      {
        ...{ key, category, sensitive, hcl, description },
        value: sensitive ? null : value,
        'created-at': timestamp(START),
        'version-id': `version-${index}`,
      },
      relationships,
    ),
  );

const toBindings = (owner: string, bindings: Readonly<Record<string, string>> = {}): readonly HcpResource[] =>
  Object.entries(bindings).map(([key, value]) =>
    resource('tag-bindings', `tb-${owner}-${key}`, { key, value, 'created-at': timestamp(START) }),
  );

const toNotifications = (owner: string, notifications: readonly HcpNotification[] = []): readonly HcpResource[] =>
  notifications.map(({ name, triggers }) =>
    resource('notification-configurations', `nc-${owner}-${name}`, {
      ...{ name, triggers, enabled: true, url: 'https://hooks.example.com' },
      'destination-type': 'slack',
    }),
  );

const readSerial = (content: Buffer): number => {
  try {
    return JSON.parse(content.toString()).serial ?? 0;
  } catch {
    return 0;
  }
};

/** Content of an organization, and the documents of its parts. */
export interface HcpModel {
  readonly workspaces: ReadonlyMap<string, StoredWorkspace>;
  /** Finds a state version of any workspace by its id. */
  readonly version: (id: string) => StoredVersion | undefined;
  readonly addVersion: (
    workspace: StoredWorkspace,
    version: Pick<StoredVersion, 'serial' | 'content'>,
  ) => StoredVersion;
  readonly toWorkspace: (workspace: StoredWorkspace) => HcpResource;
  /** @param url where its content is. */
  readonly toVersion: (version: StoredVersion, url: string | null) => HcpResource;
  /** Lists what belongs to a workspace, by the last part of the path. */
  readonly ofWorkspace: (workspace: StoredWorkspace, list: string) => readonly HcpResource[] | undefined;
  /** Lists what belongs to the organization, by the last part of the path. */
  readonly ofOrganization: (list: string) => readonly HcpResource[] | undefined;
  /** Lists what belongs to another resource, by its id. */
  readonly ofOther: (id: string, list: string) => readonly HcpResource[] | undefined;
  readonly organization: () => HcpResource;
  readonly users: () => readonly HcpResource[];
}

/** Returns the current state version: the newest that is finalized. */
export const currentOf = ({ versions }: StoredWorkspace): StoredVersion | undefined =>
  versions.findLast(({ status }) => status === 'finalized');

const storeWorkspace = (described: HcpWorkspace): StoredWorkspace => ({
  id: toId('ws', described.name),
  described,
  versions: (described.versions ?? []).map(({ content, serial, status = 'finalized', createdAt }, index) => ({
    id: `sv-${described.name}-${index + 1}`,
    serial: serial ?? readSerial(content),
    createdAt: createdAt ?? timestamp(START + index * 1_000),
    intermediate: false,
    status,
    content: status === 'finalized' ? content : undefined,
  })),
  lock: undefined,
  run: described.runs?.at(-1),
});

/** Creates the content of an organization. */
export const createModel = (organization: string, description: HcpDescription): HcpModel => {
  const { projects = [{ name: 'Default Project' }], teams = [], members = [], connections = [] } = description;
  const workspaces = new Map(
    description.workspaces.map((described) => [toId('ws', described.name), storeWorkspace(described)]),
  );
  const projectId = (name = projects[0]?.name ?? ''): string => toId('prj', name.replaceAll(' ', '_'));
  const connectionId = (name: string | null): string => `${connections.findIndex((item) => item.name === name) + 1}`;
  const ofOrganization = { organization: link('organizations', organization) };

  const toWorkspace = (workspace: StoredWorkspace): HcpResource => {
    const { id, described, lock, run } = workspace;
    const { name, attributes, repository } = described;
    return resource(
      'workspaces',
      id,
      {
        name,
        actions: { 'is-destroyable': true },
        'allow-destroy-plan': true,
        'apply-duration-average': 0,
        'assessments-enabled': false,
        'auto-apply': false,
        'auto-apply-run-trigger': false,
        'auto-destroy-activity-duration': null,
        'auto-destroy-at': null,
        'auto-destroy-status': null,
        'created-at': timestamp(START),
        description: null,
        environment: 'default',
        'execution-mode': described.agentPool === undefined ? 'remote' : 'agent',
        'file-triggers-enabled': true,
        'global-remote-state': false,
        'hyok-enabled': false,
        'inherits-project-auto-destroy': true,
        'latest-change-at': timestamp(START),
        locked: lock !== undefined,
        'locked-reason': lock?.reason ?? null,
        operations: true,
        permissions: { 'can-read-variable': true, 'can-read-state-versions': true, 'can-lock': true },
        'queue-all-runs': false,
        'resource-count': 0,
        'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
        source: 'tfe-ui',
        'source-name': null,
        'source-url': null,
        'speculative-enabled': true,
        'structured-run-output-enabled': true,
        'tag-names': described.tags ?? [],
        'terraform-version': '1.9.8',
        'trigger-patterns': [],
        'trigger-prefixes': [],
        'updated-at': timestamp(START),
        'vcs-repo': repository
          ? {
              branch: '',
              identifier: repository.identifier,
              'ingress-submodules': false,
              'tags-regex': null,
              ...(repository.connection === null
                ? { 'github-app-installation-id': 'ghain-1' }
                : { 'oauth-token-id': toId('ot', connectionId(repository.connection)) }),
            }
          : null,
        'working-directory': '',
        ...attributes,
      },
      {
        ...ofOrganization,
        project: link('projects', projectId(described.project)),
        'agent-pool': link('agent-pools', described.agentPool && toId('apool', described.agentPool)),
        'ssh-key': link('ssh-keys', described.sshKey && toId('sshkey', described.sshKey)),
        'current-state-version': link('state-versions', currentOf(workspace)?.id),
        'current-run': link('runs', run && `run-${name}`),
        'latest-run': link('runs', run && `run-${name}`),
        'current-configuration-version': link('configuration-versions', run && `cv-${name}`),
        'locked-by': link('users', lock?.by),
      },
    );
  };

  const workspaceLists: Readonly<Record<string, (workspace: StoredWorkspace) => readonly HcpResource[] | undefined>> = {
    vars: ({ id, described }) =>
      toVariables(described.name, described.variables, { workspace: link('workspaces', id) }),
    'tag-bindings': ({ described }) => toBindings(described.name, described.bindings),
    'remote-state-consumers': ({ described }) =>
      toIds('ws', described.consumers).flatMap((id) => {
        const consumer = workspaces.get(id);
        return consumer === undefined ? [] : [toWorkspace(consumer)];
      }),
    'data-retention-policy': ({ id, described: { retention } }) =>
      retention && [resource('data-retention-policy-delete-olders', `drp-${id}`, retention)],
    'team-workspaces': ({ id, described }) =>
      Object.entries(described.access ?? {}).map(([team, access]) =>
        resource(
          'team-workspaces',
          `tws-${described.name}-${team}`,
          typeof access === 'string' ? { access, runs: 'read', variables: 'none' } : { access: 'custom', ...access },
          { team: link('teams', toId('team', team)), workspace: link('workspaces', id) },
        ),
      ),
    'run-triggers': ({ id, described }) =>
      (described.runTriggers ?? []).map((source) =>
        resource(
          'run-triggers',
          `rt-${described.name}-${source}`,
          { 'workspace-name': described.name, 'sourceable-name': source, 'created-at': timestamp(START) },
          { workspace: link('workspaces', id), sourceable: link('workspaces', toId('ws', source)) },
        ),
      ),
    'notification-configurations': ({ described }) => toNotifications(described.name, described.notifications),
    runs: ({ described }) =>
      (described.runs ?? []).map((status, index) => resource('runs', `run-${described.name}-${index}`, { status })),
    'configuration-versions': ({ described }) =>
      (described.runs ?? []).map((_, index) =>
        resource('configuration-versions', `cv-${described.name}-${index}`, { status: 'uploaded' }),
      ),
  };

  const organizationLists: Readonly<Record<string, () => readonly HcpResource[]>> = {
    workspaces: () => [...workspaces.values()].map(toWorkspace),
    projects: () =>
      projects.map(({ name, description: text = '' }) =>
        resource(
          'projects',
          projectId(name),
          {
            ...{ name, description: text },
            'auto-destroy-activity-duration': null,
            'default-execution-mode': 'remote',
            'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
            permissions: { 'can-update': true },
          },
          { ...ofOrganization, 'default-agent-pool': link('agent-pools', null) },
        ),
      ),
    teams: () =>
      teams.map(({ name, attributes }) =>
        resource(
          'teams',
          toId('team', name),
          {
            name,
            visibility: 'secret',
            'sso-team-id': null,
            'allow-member-token-management': true,
            'organization-access': { 'manage-workspaces': false },
            'users-count': members.filter((member) => member.teams.includes(name)).length,
            ...attributes,
          },
          ofOrganization,
        ),
      ),
    'organization-memberships': () =>
      members.map(({ email, username, teams: names }) =>
        resource(
          'organization-memberships',
          toId('ou', email),
          { email, status: username === null ? 'invited' : 'active', 'created-at': timestamp(START) },
          { teams: links('teams', toIds('team', names)), user: link('users', toId('user', username ?? email)) },
        ),
      ),
    'agent-pools': () =>
      (description.agentPools ?? []).map(({ name, allowedWorkspaces }) =>
        resource(
          'agent-pools',
          toId('apool', name),
          { name, 'organization-scoped': allowedWorkspaces === undefined, 'created-at': timestamp(START) },
          { 'allowed-workspaces': links('workspaces', toIds('ws', allowedWorkspaces)) },
        ),
      ),
    'ssh-keys': () => (description.sshKeys ?? []).map((name) => resource('ssh-keys', toId('sshkey', name), { name })),
    'oauth-clients': () =>
      connections.map(({ name, provider }, index) =>
        resource(
          'oauth-clients',
          `oc-${index + 1}`,
          {
            name,
            'service-provider': provider,
            'http-url': 'https://github.com',
            'api-url': 'https://api.github.com',
            'organization-scoped': true,
          },
          { 'oauth-tokens': links('oauth-tokens', [`ot-${index + 1}`]), ...ofOrganization },
        ),
      ),
    varsets: () =>
      (description.variableSets ?? []).map((set) =>
        resource(
          'varsets',
          toId('varset', set.name),
          {
            name: set.name,
            description: null,
            global: set.global ?? false,
            priority: set.priority ?? false,
            'updated-at': timestamp(START),
          },
          {
            parent: set.project === undefined ? ofOrganization.organization : link('projects', projectId(set.project)),
            workspaces: links('workspaces', toIds('ws', set.workspaces)),
            projects: links('projects', (set.projects ?? []).map(projectId)),
          },
        ),
      ),
    'policy-sets': () =>
      (description.policySets ?? []).map((name) => resource('policy-sets', toId('set', name), { name })),
    policies: () => (description.policies ?? []).map((name) => resource('policies', toId('pol', name), { name })),
    'team-tokens': () =>
      teams.flatMap(({ name, tokens = 0 }) =>
        Array.from({ length: tokens }, (_, index) =>
          resource(
            'authentication-tokens',
            `at-${name}-${index}`,
            { description: null },
            { team: link('teams', toId('team', name)) },
          ),
        ),
      ),
    'token-ttl-policies': () => [],
    'provider-sets': () => [],
    'cidr-range-lists': () => [],
  };

  const projectOf = (id: string) => projects.find(({ name }) => projectId(name) === id);
  const otherLists: Readonly<Record<string, (id: string) => readonly HcpResource[] | undefined>> = {
    vars: (id) => {
      const set = description.variableSets?.find(({ name }) => toId('varset', name) === id);
      return set && toVariables(id, set.variables, { varset: link('varsets', id) });
    },
    'tag-bindings': (id) => toBindings(id, projectOf(id)?.bindings),
    'team-projects': (id) =>
      Object.entries(projectOf(id)?.access ?? {}).map(([team, access]) =>
        resource(
          'team-projects',
          `tprj-${id}-${team}`,
          { access, 'project-access': {}, 'workspace-access': {} },
          { team: link('teams', toId('team', team)), project: link('projects', id) },
        ),
      ),
    'notification-configurations': (id) =>
      toNotifications(
        id,
        projectOf(id)?.notifications ?? teams.find(({ name }) => toId('team', name) === id)?.notifications,
      ),
    'authentication-tokens': (id) =>
      Array.from(
        { length: description.agentPools?.find(({ name }) => toId('apool', name) === id)?.tokens ?? 0 },
        (_, index) => resource('authentication-tokens', `at-${id}-${index}`, { description: null }),
      ),
  };

  return {
    workspaces,
    version: (id) => {
      for (const { versions } of workspaces.values()) {
        const found = versions.find((version) => version.id === id);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    addVersion: (workspace, { serial, content }) => {
      const version: StoredVersion = {
        ...{ serial, content, intermediate: false },
        id: `sv-${workspace.described.name}-${workspace.versions.length + 1}`,
        createdAt: timestamp(START + workspace.versions.length * 1_000),
        status: content === undefined ? 'pending' : 'finalized',
      };
      workspace.versions.push(version);
      return version;
    },
    toWorkspace,
    toVersion: ({ id, serial, createdAt, status, intermediate, content }, url) =>
      resource(
        'state-versions',
        id,
        {
          ...{ serial, status, intermediate, size: content?.length ?? 0, 'created-at': createdAt },
          'hosted-state-download-url': content === undefined ? null : url,
          'hosted-json-state-download-url': null,
          'resources-processed': true,
          'state-version': 4,
          'terraform-version': '1.9.8',
          'vcs-commit-sha': null,
          'vcs-commit-url': null,
        },
        { 'created-by': link('users', USER) },
      ),
    ofWorkspace: (workspace, list) => workspaceLists[list]?.(workspace),
    ofOrganization: (list) => organizationLists[list]?.(),
    ofOther: (id, list) => otherLists[list]?.(id),
    organization: () =>
      resource(
        'organizations',
        organization,
        {
          name: organization,
          email: 'owner@example.com',
          'external-id': 'org-1',
          'created-at': timestamp(START),
          'assessments-enforced': false,
          'default-execution-mode': 'remote',
          'collaborator-auth-policy': 'password',
          'cost-estimation-enabled': false,
          'session-timeout': null,
          permissions: { 'can-update': true },
          ...description.organization,
        },
        {
          'default-project': link('projects', projectId()),
          'default-agent-pool': link('agent-pools', null),
        },
      ),
    users: () =>
      members.flatMap(({ username }) =>
        username === null
          ? []
          : [resource('users', toId('user', username), { username, email: `${username}@example.com` })],
      ),
  };
};
