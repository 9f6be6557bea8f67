import type { RouteId } from '../../../shared/routes/index.ts';
import { buildState, inlineStateVersionBody } from '../api/states.ts';
import type { Sender } from './organizations.ts';
import type { IdentifierKind } from './resources.ts';

/** Request that succeeds with the caller's own resources, so that an error can only be caused by a foreign one. */
export interface Sample {
  /** Prepares the caller's own resources. They stay prepared until a request of the sample changes them. */
  readonly prepare?: (own: SampleContext) => Promise<unknown>;
  readonly body?: (own: SampleContext) => unknown;
  /** Required headers. */
  readonly headers?: (own: SampleContext) => Promise<Readonly<Record<string, string>>>;
  /** Required query parameters. */
  readonly query?: (own: SampleContext) => Promise<Readonly<Record<string, string>>>;
  /** Path parameters that differ from the defaults. */
  readonly parameters?: (own: SampleContext) => Promise<Readonly<Record<string, string>>>;
  /** Pointer to the subject of the request, if the body names it instead of the path. */
  readonly about?: string;
  /** Caller of requests that owners may not send. */
  readonly by?: Sender;
  /** Identifier kinds, besides those of the path, whose resources the request changes. */
  readonly uses?: readonly IdentifierKind[];
}

export interface SampleContext {
  /** Returns the identifier of the caller's own resource, the same one during a request. */
  readonly get: (identifierKind: IdentifierKind) => Promise<string>;
  /** Creates an unused name. */
  readonly newName: () => string;
  /** Sends a request as an owner and returns the body of the response. @throws Error if the request fails. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    // biome-ignore lint/suspicious/noExplicitAny: samples read documents of every shape.
  ) => Promise<any>;
  /** Returns the entity tag of what a path shows. */
  readonly tagOf: (path: string) => Promise<string>;
  /** Runs the workers of bulk jobs that requests have started. */
  readonly runWorkers: () => Promise<void>;
}

/** Returns the header that a request to apply the job needs. */
const matchingJob = async ({ tagOf, get }: SampleContext) => ({
  'if-match': await tagOf(`/bulk-jobs/${await get('bulk job id')}`),
});

const workspace = (attributes: object, relationships?: object) => ({
  data: { type: 'workspaces', attributes, ...(relationships && { relationships }) },
});

const resource = (type: string, attributes: object) => ({ data: { type, attributes } });

const lock = async ({ get, send }: SampleContext) =>
  send('POST', `/workspaces/${await get('workspace id')}/actions/lock`);

const lease = async ({ get, send }: SampleContext) =>
  send('POST', `/workspaces/${await get('workspace id')}/actions/lock`, { 'lease-seconds': 3_600 });

const agent = async ({ get }: SampleContext) => ({
  'execution-mode': 'agent',
  'agent-pool-id': await get('agent pool id'),
});
const repository = async ({ get }: SampleContext) => ({
  'vcs-repo': { identifier: 'example/infra', 'oauth-token-id': await get('connection id') },
});
const connect = async (own: SampleContext) =>
  own.send('PATCH', `/workspaces/${await own.get('workspace id')}`, workspace(await repository(own)));
const installed = async ({ get }: SampleContext) => ({
  'vcs-repo': { 'app-installation-id': await get('installation id') },
});
const inProject = async ({ get }: SampleContext) => ({
  project: { data: { type: 'projects', id: await get('project id') } },
});

const creations: readonly Sample[] = [
  { body: (own) => workspace({ name: own.newName() }) },
  { body: async (own) => workspace({ name: own.newName(), ...(await agent(own)) }, await inProject(own)) },
  { body: async (own) => workspace({ name: own.newName(), ...(await repository(own)) }) },
];
const updates: readonly Sample[] = [
  { body: (own) => workspace({ name: own.newName() }) },
  { body: async (own) => workspace(await agent(own), await inProject(own)) },
  { body: async (own) => workspace(await repository(own)) },
  { prepare: connect, body: async (own) => workspace(await installed(own)) },
];

const invitation = (attributes: object, teams: readonly object[] = []) => ({
  data: { type: 'organization-memberships', attributes, relationships: { teams: { data: teams } } },
});

/** Creates a workspace other than that of the path. */
const consumer = async ({ get, newName, send }: SampleContext): Promise<{ data: { type: string; id: string }[] }> => {
  const made = await send(
    'POST',
    `/organizations/${await get('organization name')}/workspaces`,
    workspace({ name: newName() }),
  );
  return { data: [{ type: 'workspaces', id: made.data.id }] };
};
/** Creates a workspace and deletes it. */
const deletedWorkspace = async (own: SampleContext) => {
  const { data } = await consumer(own);
  const [{ id = '' } = {}] = data;
  await own.send('DELETE', `/workspaces/${id}`);
  return { workspace_id: id };
};
/** Creates a consumer of the workspace of the path. */
const addedConsumer = async (own: SampleContext) => {
  const added = await consumer(own);
  const path = `/workspaces/${await own.get('workspace id')}/relationships/remote-state-consumers`;
  await own.send('POST', path, added);
  return added;
};
const project = (attributes: object) => ({ data: { type: 'projects', attributes } });

const assignment = (type: 'workspaces' | 'ssh-keys') => async (own: SampleContext) => {
  const id = await own.get('SSH key id');
  return { data: { type, ...(type === 'workspaces' ? { attributes: { id } } : { id }) } };
};
const access = async ({ get }: SampleContext) => ({
  data: {
    type: 'team-workspaces',
    attributes: { access: 'read' },
    relationships: {
      team: { data: { type: 'teams', id: await get('team id') } },
      workspace: { data: { type: 'workspaces', id: await get('workspace id') } },
    },
  },
});
const policy = () => ({ data: { type: 'data-retention-policy-dont-deletes' } });
const setDefault = async ({ get, send }: SampleContext) =>
  send('POST', `/organizations/${await get('organization name')}/relationships/data-retention-policy`, policy());
const unsetDefault = async (own: SampleContext) => {
  await setDefault(own);
  await own.send('DELETE', `/organizations/${await own.get('organization name')}/relationships/data-retention-policy`);
};
const setPolicy = async ({ get, send }: SampleContext) =>
  send('POST', `/workspaces/${await get('workspace id')}/relationships/data-retention-policy`, policy());
const variable = async ({ newName }: SampleContext) => ({
  type: 'vars',
  attributes: { key: newName(), category: 'env' },
});

const relatedTo = (type: string, id: string) => ({ type, id });
/** Builds a variable set with relationships. */
const variableSet = (attributes: object, relationships?: object) => ({
  data: { type: 'varsets', attributes, ...(relationships && { relationships }) },
});
const ownWorkspaces = async ({ get }: SampleContext) => ({
  data: [relatedTo('workspaces', await get('workspace id'))],
});
/** Returns the project that owns the variable set: the only one that the set can be assigned to. */
const owningProjects = async ({ get, send }: SampleContext) => {
  const { data } = await send('GET', `/varsets/${await get('variable set id')}`);
  return { data: [data.relationships.parent.data] };
};
const someProjects = async ({ get }: SampleContext) => ({
  data: [{ type: 'projects', id: await get('project id') }],
});
/** Deletes all reserved tag keys, because an organization can have only a few. */
const deleteReservedTagKeys = async ({ get, send }: SampleContext) => {
  const { data } = await send('GET', `/organizations/${await get('organization name')}/reserved-tag-keys`);
  for (const { id } of data) await send('DELETE', `/reserved-tag-keys/${id}`);
};

const lockOnce = async (own: SampleContext) => {
  const path = `/workspaces/${await own.get('workspace id')}`;
  if ((await own.send('GET', path)).data.attributes.locked === false) await lock(own);
};
const newState = () => inlineStateVersionBody(buildState(), { force: true });
const state = async (own: SampleContext) => {
  const path = `/workspaces/${await own.get('workspace id')}`;
  await lockOnce(own);
  await own.send('POST', `${path}/state-versions`, newState());
  await own.send('POST', `${path}/actions/unlock`);
};

/** Locks the workspace and creates a state version in it. */
const lockedState = async (own: SampleContext) => {
  await lockOnce(own);
  await own.send('POST', `/workspaces/${await own.get('workspace id')}/state-versions`, newState());
};
const rollback = async ({ get, send }: SampleContext) => {
  const { data } = await send('GET', `/workspaces/${await get('workspace id')}/current-state-version`);
  const version = { data: { type: 'state-versions', id: data.id } };
  return { data: { type: 'state-versions', relationships: { 'rollback-state-version': version } } };
};
/** Creates a newer version than the own one, so that the content of the own one can be deleted. */
const supersededState = async ({ get, send }: SampleContext) => {
  const { data } = await send('GET', `/state-versions/${await get('state version id')}`);
  const path = `/workspaces/${data.relationships.workspace.data.id}`;
  await send('POST', `${path}/actions/lock`);
  await send('POST', `${path}/state-versions`, newState());
  await send('POST', `${path}/actions/unlock`);
};
const softDeletedState = async (own: SampleContext) => {
  await supersededState(own);
  await own.send('POST', `/state-versions/${await own.get('state version id')}/actions/soft_delete_backing_data`);
};

const tag = (name: string) => ({ data: [{ type: 'tags', attributes: { name } }] });
const tagById = async ({ get }: SampleContext) => ({ data: [{ type: 'tags', id: await get('tag id') }] });
const ownTag: readonly Sample[] = [{ body: tagById, uses: ['tag id'] }, { body: ({ newName }) => tag(newName()) }];
const bound = { body: () => ({ data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] }) };

const tokenAt = (path: (own: SampleContext) => Promise<string>) => async (own: SampleContext) =>
  (await own.send('POST', `${await path(own)}/authentication-token`)).data;
const ofOrganization = tokenAt(async ({ get }) => `/organizations/${await get('organization name')}`);
const ofTeam = tokenAt(async ({ get }) => `/teams/${await get('team id')}`);
const oneself = async ({ send }: SampleContext) => ({
  user_id: (await send('GET', '/account/details')).data.id as string,
});
const ownToken = async (own: SampleContext) => {
  const { user_id } = await oneself(own);
  return { token_id: (await own.send('POST', `/users/${user_id}/authentication-tokens`)).data.id as string };
};

/**
 * Samples of the routes for which the smallest body is not accepted or has too few members. A route has several if one
 * body cannot have all members. A pointer is tried in the first sample that contains it.
 */
const samples: Partial<Record<RouteId, Sample | readonly Sample[]>> = {
  'workspaces.create': creations,
  'workspaces.update': updates,
  'workspaces.update-by-name': updates,
  'organizations.create': {
    by: 'a site administrator',
    body: (own) => {
      const name = own.newName();
      return { data: { type: 'organizations', attributes: { name, email: `${name}@example.com` } } };
    },
  },
  'audit-trail.list': { by: 'an audit trails token' },
  'users.update-account': [
    { body: (own) => resource('users', { username: own.newName() }), about: 'data/attributes/username' },
    { body: (own) => resource('users', { email: `${own.newName()}@example.com` }) },
  ],
  'reserved-tag-keys.create': {
    prepare: deleteReservedTagKeys,
    body: (own) => resource('reserved-tag-keys', { key: own.newName() }),
    uses: ['reserved tag key id'],
  },
  'reserved-tag-keys.update': {
    prepare: deleteReservedTagKeys,
    body: (own) => resource('reserved-tag-keys', { key: own.newName() }),
    uses: ['reserved tag key id'],
  },
  'workload-identities.create': {
    body: async (own) => ({
      data: {
        type: 'workload-identities',
        attributes: {
          name: own.newName(),
          issuer: 'https://issuer.example.com',
          conditions: [{ claim: '/sub', equals: ['x'] }],
        },
        relationships: {
          team: { data: { type: 'teams', id: await own.get('team id') } },
          projects: { data: [{ type: 'projects', id: await own.get('project id') }] },
          workspaces: { data: [{ type: 'workspaces', id: await own.get('workspace id') }] },
        },
      },
    }),
  },
  'bulk-jobs.create': {
    body: async (own) =>
      resource('bulk-jobs', {
        action: 'update',
        parameters: { description: 'x' },
        selection: { ids: [await own.get('workspace id')] },
      }),
  },
  'bulk-jobs.apply': { headers: matchingJob },
  'bulk-jobs.retry': {
    prepare: async ({ send, get }) => send('POST', `/bulk-jobs/${await get('bulk job id')}/actions/cancel`),
  },
  'bulk-jobs.report': {
    prepare: async (own) => {
      const path = `/bulk-jobs/${await own.get('bulk job id')}/actions/apply`;
      await own.send('POST', path, undefined, await matchingJob(own));
      await own.runWorkers();
    },
  },
  'workload-identities.test': {
    body: () => resource('workload-identity-tests', { 'subject-token': 'not a token' }),
  },
  'oauth2.consent': { body: () => ({ port: 10_000, state: 's', code_challenge: 'c'.repeat(43) }) },
  'agent-pool-tokens.create': {
    body: (own) => resource('authentication-tokens', { description: own.newName() }),
  },
  'agent-pools.create': { body: (own) => resource('agent-pools', { name: own.newName() }) },
  'ssh-keys.create': { body: (own) => resource('ssh-keys', { name: own.newName(), value: 'k' }) },
  'oauth-clients.create': {
    body: (own) =>
      resource('oauth-clients', {
        name: own.newName(),
        'service-provider': 'github',
        'http-url': 'https://github.com',
      }),
  },
  'oauth-clients.add-projects': { body: someProjects },
  'oauth-clients.remove-projects': {
    prepare: async (own) =>
      own.send('POST', `/oauth-clients/${await own.get('client id')}/relationships/projects`, await someProjects(own)),
    body: someProjects,
  },
  'organizations.delete': {
    parameters: async ({ get }) => ({ organization_name: await get('empty organization name') }),
    uses: ['empty organization name'],
  },
  'workspace-tags.add': ownTag,
  'workspace-tags.remove': ownTag,
  'tag-bindings.add': bound,
  'tag-bindings.add-related': bound,
  'tag-bindings.replace-related': bound,
  'tags.delete': { body: tagById, uses: ['tag id'] },
  'tags.add-to-workspaces': { body: consumer },
  'memberships.create': [
    { body: (own) => invitation({ email: `${own.newName()}@example.com` }) },
    {
      body: async (own) =>
        invitation({ email: `${own.newName()}@example.com` }, [{ type: 'teams', id: await own.get('team id') }]),
    },
  ],
  'projects.create': [
    { body: (own) => project({ name: own.newName() }) },
    {
      body: async (own) =>
        project({
          name: own.newName(),
          'default-execution-mode': 'agent',
          'default-agent-pool-id': await own.get('agent pool id'),
        }),
    },
  ],
  'projects.update': [
    { body: (own) => project({ name: own.newName() }) },
    {
      body: async (own) =>
        project({ 'default-execution-mode': 'agent', 'default-agent-pool-id': await own.get('agent pool id') }),
    },
  ],
  'projects.move-workspaces': {
    body: async ({ get }) => ({ data: [{ type: 'workspaces', id: await get('workspace id') }] }),
    uses: ['workspace id'],
  },
  'projects.add-bindings': bound,
  'projects.add-related-bindings': bound,
  'deleted-workspaces.show': { parameters: deletedWorkspace },
  'deleted-workspaces.restore': { parameters: deletedWorkspace },
  'deleted-workspaces.purge': { parameters: deletedWorkspace },
  'recoverable-items.recover': { parameters: deletedWorkspace },
  'recoverable-items.permanently-delete': { parameters: deletedWorkspace },
  'workspaces.unlock': { prepare: lock },
  'workspaces.renew-lock': { prepare: lease },
  'workspaces.force-unlock': { prepare: lock },
  'remote-state-consumers.add': { body: consumer },
  'remote-state-consumers.replace': { body: consumer },
  'remote-state-consumers.remove': { body: addedConsumer },
  'ssh-key.assign': [{ body: assignment('ssh-keys') }, { body: assignment('workspaces') }],
  'teams.create': { body: (own) => resource('teams', { name: own.newName() }) },
  'teams.add-users': { body: async ({ get }) => ({ data: [{ type: 'users', id: await get('username') }] }) },
  'teams.remove-users': { body: async ({ get }) => ({ data: [{ type: 'users', id: await get('username') }] }) },
  'teams.add-memberships': {
    body: async ({ get }) => ({ data: [{ type: 'organization-memberships', id: await get('membership id') }] }),
  },
  'teams.remove-memberships': {
    body: async ({ get }) => ({ data: [{ type: 'organization-memberships', id: await get('membership id') }] }),
  },
  'team-projects.list': { query: async ({ get }) => ({ 'filter[project][id]': await get('project id') }) },
  'team-projects.create': {
    body: async ({ get }) => ({
      data: {
        type: 'team-projects',
        attributes: { access: 'read' },
        relationships: {
          team: { data: { type: 'teams', id: await get('team id') } },
          project: { data: { type: 'projects', id: await get('project id') } },
        },
      },
    }),
    about: 'data/relationships/project/data/id',
    uses: ['team id', 'project id'],
  },
  // Each request removes the texts that earlier ones have set, because the response shows all of them.
  'organizations.update': {
    body: () => resource('organizations', { 'production-tag': null, 'owners-team-saml-role-id': null }),
  },
  'team-workspaces.list': { query: async ({ get }) => ({ 'filter[workspace][id]': await get('workspace id') }) },
  'team-workspaces.update': { body: () => resource('team-workspaces', { access: 'plan' }) },
  'team-workspaces.create': {
    body: access,
    about: 'data/relationships/workspace/data/id',
    uses: ['team id', 'workspace id'],
  },
  'organization-token.show': { prepare: ofOrganization },
  'organization-token.delete': { prepare: ofOrganization },
  'team-token.show': { prepare: ofTeam },
  'team-token.delete': { prepare: ofTeam },
  'token-ttl-policies.update': {
    body: () =>
      resource('organization-token-ttl-policies', {
        'token-ttl-policies': [{ 'token-type': 'team', 'max-ttl-ms': 86_400_000 }],
      }),
  },
  'sessions.list': { parameters: oneself },
  'linked-identities.list': { parameters: oneself },
  'user-tokens.list': { parameters: oneself },
  'user-tokens.create': { parameters: oneself },
  'tokens.show': { parameters: ownToken },
  'tokens.delete': { parameters: ownToken },
  'retention-policies.show': { prepare: setPolicy },
  'retention-policies.set': { body: policy },
  'retention-policies.replace': { body: policy },
  'retention-policies.delete': { prepare: setPolicy },
  'default-retention-policies.show': { prepare: setDefault },
  'default-retention-policies.set': { prepare: unsetDefault, body: policy },
  'default-retention-policies.replace': { body: policy },
  'default-retention-policies.delete': { prepare: setDefault },
  'state-versions.create': { prepare: lockOnce, body: newState, uses: ['workspace id'] },
  'state-versions.roll-back': { prepare: lockedState, body: rollback, uses: ['workspace id'] },
  'state-versions.soft-delete': { prepare: supersededState },
  'state-versions.restore': { prepare: softDeletedState },
  'state-versions.delete': { prepare: softDeletedState },
  'state-versions.current': { prepare: state },
  'state-versions.list': {
    query: async ({ get }) => ({
      'filter[organization][name]': await get('organization name'),
      'filter[workspace][name]': await get('workspace name'),
    }),
  },
  'workspace-variables.create': { body: async (own) => ({ data: await variable(own) }) },
  'varsets.create': [
    { body: (own) => variableSet({ name: own.newName() }) },
    {
      body: async (own) => {
        const data = relatedTo('projects', await own.get('project id'));
        return variableSet({ name: own.newName() }, { parent: { data }, projects: { data: [data] } });
      },
    },
    { body: async (own) => variableSet({ name: own.newName() }, { workspaces: await ownWorkspaces(own) }) },
  ],
  'varsets.update': [
    { body: (own) => variableSet({ name: own.newName() }) },
    { body: async (own) => variableSet({}, { workspaces: await ownWorkspaces(own) }) },
    { body: async (own) => variableSet({}, { projects: await owningProjects(own) }) },
  ],
  'varsets.add-workspaces': { body: ownWorkspaces },
  'varsets.remove-workspaces': { body: ownWorkspaces },
  'varsets.add-projects': { body: owningProjects },
  'varsets.remove-projects': { body: owningProjects },
  'varset-variables.create': { body: async (own) => ({ data: await variable(own) }) },
  'variables.update': { uses: ['workspace id'] },
  'workspace-variables.update': { uses: ['workspace id'] },
  'workspace-variables.verify': { body: () => ({ value: 'x' }), uses: ['workspace id'] },
  'varset-variables.verify': { body: () => ({ value: 'x' }) },
  'variables.create': [
    {
      body: async (own) => ({
        data: {
          ...(await variable(own)),
          relationships: { workspace: { data: { type: 'workspaces', id: await own.get('workspace id') } } },
        },
      }),
      about: 'data/relationships/workspace/data/id',
      uses: ['workspace id'],
    },
    {
      body: async (own) => ({
        data: await variable(own),
        filter: {
          workspace: { name: await own.get('workspace name') },
          organization: { name: await own.get('organization name') },
        },
      }),
      about: 'filter/workspace/name',
      uses: ['workspace id'],
    },
  ],
};

/** Request with the smallest body, without preparation. */
const smallest: Sample = {};

/** Returns the samples of a route: the same objects each time, so that their resources are prepared once. */
export const samplesFor = (route: RouteId): readonly [Sample, ...Sample[]] => {
  const [first = smallest, ...others] = [samples[route] ?? smallest].flat() as readonly Sample[];
  return [first, ...others];
};
