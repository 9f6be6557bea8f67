import { describe } from 'vitest';
import { prefixes } from '../../../shared/domain/ids.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import type { ApiResponse } from '../../support/api/api.ts';
import { startSession } from '../../support/api/start-session.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';
import {
  advanceClock,
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';
import { configurationEvent, runEvent } from '../../support/events/run-events.ts';

/**
 * Routes without a budget in another file, requested by an owner. The directory is rarely written and reads again
 * before it
 * writes, so its budgets are today's numbers. They prevent unnoticed growth.
 */
interface Owner {
  readonly fixture: BudgetFixture;
  /** Unique name for resources of this operation. */
  readonly name: string;
  readonly sendRequest: (route: RouteId, request?: Request) => Promise<ApiResponse>;
  /** Sends a request that must succeed. @returns the id of the created resource. */
  readonly createResource: (route: RouteId, request?: Request) => Promise<string>;
  readonly workspace: () => Promise<string>;
  readonly team: () => Promise<string>;
  /** Creates a member of the organization. */
  readonly member: () => Promise<{ readonly username: string; readonly membership: string }>;
}

interface Request {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Token of another caller than the owner. */
  readonly token?: string;
}

const document = (type: string, attributes: object = {}, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});
const to = (type: string, id: string) => ({ data: { type, id } });
const toBody = (type: string, ...ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });

let createdCount = 0;
const createOwner = async (fixture: BudgetFixture): Promise<Owner> => {
  const name = `n${++createdCount}`;
  const { token: owner } = await fixture.api.admin('create-token', { kind: 'user', username: 'owner' });
  const sendRequest: Owner['sendRequest'] = (route, { parameters, query, body, headers, token = owner } = {}) => {
    const given: Readonly<Record<string, string>> = { organization_name: ORGANIZATION, ...parameters };
    const path = routes[route].path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => given[parameter] ?? '');
    return fixture.api.request(routes[route].method, query === undefined ? path : `${path}?${query}`, {
      token,
      ...(body && { body }),
      ...(headers && { headers }),
    });
  };
  const sendSuccessfully: Owner['sendRequest'] = async (route, request) => {
    const reply = await sendRequest(route, request);
    if (reply.status >= 300) throw new Error(`${route}: ${JSON.stringify(reply.body)}`);
    return reply;
  };
  const createResource: Owner['createResource'] = async (route, request) =>
    (await sendSuccessfully(route, request)).body?.data?.id;
  return {
    fixture,
    name,
    sendRequest,
    createResource,
    workspace: () => fixture.create(name),
    team: () => createResource('teams.create', { body: document('teams', { name, visibility: 'organization' }) }),
    member: async () => {
      await fixture.api.admin('create-user', { username: name, email: `${name}@example.com` });
      const body = document('organization-memberships', { username: name });
      return { username: name, membership: await createResource('memberships.create', { body }) };
    },
  };
};

const on = (
  route: RouteId,
  rounds: number,
  read: number,
  write: number,
  createRequest: (owner: Owner) => Request | Promise<Request> = () => ({}),
  name: string = route,
): BudgetedOperation => ({
  name,
  status: routes[route].status,
  budget: { rounds, read, write },
  prepare: async (_, fixture) => {
    const owner = await createOwner(fixture);
    const request = await createRequest(owner);
    return () => owner.sendRequest(route, request);
  },
});

/** Creates a user with a session. @returns requests of that user. */
const withSession = async ({ fixture, name }: Owner) => {
  const { user } = await fixture.api.admin('create-user', { username: name, email: `${name}@example.com` });
  const { token } = await fixture.api.admin('create-token', { kind: 'user', username: name });
  const session_id = await startSession(fixture.api, user.id);
  return { ofUser: { token, parameters: { user_id: user.id } }, ofSession: { token, parameters: { session_id } } };
};

/** Routes that do not read the table. */
const service = (
  [
    'ping',
    'sign-in.providers',
    'documentation.openapi',
    'documentation.page',
    'documentation.discovery',
    'documentation.command-line',
    'documentation.command-line-checksum',
  ] as const
).map((route) => on(route, 0, 0, 0));

const createOrganization = async ({ fixture, name }: Owner): Promise<Request> => {
  const { token } = await fixture.api.admin('create-organization', { name, email: `${name}@example.com` });
  return { parameters: { organization_name: name }, token };
};
const organizations = [
  on('organizations.create', 5, 3.5, 28, async ({ fixture, name }) => ({
    token: (await fixture.api.admin('create-token', { kind: 'site' })).token,
    body: document('organizations', { name, email: `${name}@example.com` }),
  })),
  on(
    'organizations.create',
    5,
    3.5,
    24,
    async ({ fixture, name }) => {
      await fixture.api.admin('create-user', { username: name, email: `${name}@example.com`, siteAdmin: true });
      return {
        token: (await fixture.api.admin('create-token', { kind: 'user', username: name })).token,
        body: document('organizations', { name, email: `${name}@example.com` }),
      };
    },
    'organizations.create by a user',
  ),
  on('reserved-tag-keys.list', 2, 1.5, 0),
  on('reserved-tag-keys.create', 4, 2.5, 4, ({ name }) => ({ body: document('reserved-tag-keys', { key: name }) })),
  on('reserved-tag-keys.update', 4, 3, 1, async ({ createResource, name }) => ({
    parameters: {
      reserved_tag_key_id: await createResource('reserved-tag-keys.create', {
        body: document('reserved-tag-keys', { key: name }),
      }),
    },
    body: document('reserved-tag-keys', { 'disable-overrides': true }),
  })),
  on('reserved-tag-keys.delete', 4, 3, 4, async ({ createResource, name }) => ({
    parameters: {
      reserved_tag_key_id: await createResource('reserved-tag-keys.create', {
        body: document('reserved-tag-keys', { key: name }),
      }),
    },
  })),
  on('token-ttl-policies.list', 2, 1.5, 0),
  on('token-ttl-policies.update', 5, 3.5, 2, () => ({
    body: document('organization-token-ttl-policies', {
      'token-ttl-policies': [{ 'token-type': 'team', 'max-ttl-ms': 86_400_000 }],
    }),
  })),
  on('users.update-account', 8, 6.5, 10, async ({ fixture, name }) => {
    await fixture.api.admin('create-user', { username: name, email: `${name}@example.com` });
    return {
      token: (await fixture.api.admin('create-token', { kind: 'user', username: name })).token,
      body: document('users', { username: `${name}-2` }),
    };
  }),
  on('sessions.list', 3, 3, 0, async (owner) => (await withSession(owner)).ofUser),
  on('linked-identities.list', 3, 3, 0, async (owner) => (await withSession(owner)).ofUser),
  on('sessions.delete', 4, 4, 6, async (owner) => (await withSession(owner)).ofSession),
  on('organizations.update', 5, 3.5, 2, () => ({ body: document('organizations', { email: 'new@example.com' }) })),
  on('organizations.delete', 9, 8.5, 3, createOrganization),
];

const memberships = [
  on('memberships.create', 7, 5.5, 14, ({ name }) => ({
    body: document('organization-memberships', { email: `${name}@example.com` }),
  })),
  on('memberships.delete', 6, 5, 6, async ({ member }) => ({
    parameters: { membership_id: (await member()).membership },
  })),
];

const onTeam =
  (body?: object) =>
  async ({ team }: Owner): Promise<Request> => ({ parameters: { team_id: await team() }, ...(body && { body }) });
const aboutUser = async ({ team, member }: Owner): Promise<Request> => ({
  parameters: { team_id: await team() },
  body: toBody('users', (await member()).username),
});
const aboutMembership = async ({ team, member }: Owner): Promise<Request> => ({
  parameters: { team_id: await team() },
  body: toBody('organization-memberships', (await member()).membership),
});
/** Adds the users to the team first. */
const afterAdding =
  (createRequest: (owner: Owner) => Promise<Request>, route: RouteId) =>
  async (owner: Owner): Promise<Request> => {
    const request = await createRequest(owner);
    await owner.createResource(route, request);
    return request;
  };
const teams = [
  on('teams.list', 5, 22.5, 0),
  on('teams.create', 6, 4, 7, ({ name }) => ({ body: document('teams', { name }) })),
  on('teams.show', 3, 2.5, 0, onTeam()),
  on('teams.update', 7, 5.5, 4, onTeam(document('teams', { 'organization-access': { 'manage-modules': true } }))),
  // Its workload identities are found with a query.
  on('teams.delete', 8, 9.5, 3, onTeam()),
  on('teams.add-users', 12, 11, 10, aboutUser),
  on('teams.remove-users', 10, 9, 4, afterAdding(aboutUser, 'teams.add-users')),
  on('teams.list-memberships', 4, 5, 0, afterAdding(aboutMembership, 'teams.add-memberships')),
  on(
    'teams.list-memberships',
    5,
    5.5,
    0,
    async (owner) => ({
      ...(await afterAdding(aboutMembership, 'teams.add-memberships')(owner)),
      query: 'filter[status]=active',
    }),
    'list the memberships of a team by status',
  ),
  on('teams.add-memberships', 11, 10, 10, aboutMembership),
  on('teams.remove-memberships', 9, 8, 4, afterAdding(aboutMembership, 'teams.add-memberships')),
];

const onProject =
  (body?: object) =>
  async ({ name, createResource }: Owner): Promise<Request> => ({
    parameters: { project_id: await createResource('projects.create', { body: document('projects', { name }) }) },
    ...(body && { body }),
  });
const bindings = { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'test' } }] };
const projects = [
  on('projects.create', 5, 3.5, 7, ({ name }) => ({ body: document('projects', { name }) })),
  on('projects.update', 7, 7, 4, onProject(document('projects', { description: 'new' }))),
  on('projects.delete', 9, 10, 5, onProject()),
  on('projects.move-workspaces', 5, 4.5, 8, async (owner) => ({
    ...(await onProject()(owner)),
    body: toBody('workspaces', await owner.workspace()),
  })),
  on('projects.list-bindings', 2, 2, 0, onProject()),
  on('memberships.list-own', 5, 4.5, 0),
  on('projects.list-related-bindings', 2, 2, 0, onProject()),
  on('projects.add-related-bindings', 6, 5, 4, onProject(bindings)),
  on('projects.add-bindings', 6, 5, 4, onProject(bindings)),
  on('projects.replace-bindings', 6, 5, 4, onProject(bindings)),
  on('projects.list-effective-bindings', 2, 2, 0, onProject()),
];

const accessToProject = async ({ fixture: { projects }, team }: Owner): Promise<Request> => ({
  body: document(
    'team-projects',
    { access: 'read' },
    { team: to('teams', await team()), project: to('projects', projects[2] ?? '') },
  ),
});
const onAccess =
  (body?: object) =>
  async (owner: Owner): Promise<Request> => ({
    parameters: { team_project_id: await owner.createResource('team-projects.create', await accessToProject(owner)) },
    ...(body && { body }),
  });
const access = [
  on('team-projects.list', 2, 2, 0, ({ fixture }) => ({ query: `filter[project][id]=${fixture.projects[0]}` })),
  on('team-projects.create', 7, 6, 8, accessToProject),
  on('team-projects.show', 3, 2.5, 0, onAccess()),
  on('team-projects.update', 7, 5.5, 6, onAccess(document('team-projects', { access: 'write' }))),
  on('team-projects.delete', 7, 5.5, 6, onAccess()),
];

type Kind = 'agent-pools' | 'ssh-keys' | 'oauth-clients';
const recordAttributes: Readonly<Record<Kind, (name: string) => object>> = {
  'agent-pools': (name) => ({ name }),
  'ssh-keys': (name) => ({ name, value: 'k' }),
  'oauth-clients': (name) => ({ name, 'service-provider': 'github', 'http-url': 'https://github.com' }),
};
const createRecord = (kind: Kind, { name, createResource }: Owner): Promise<string> =>
  createResource(`${kind}.create`, { body: document(kind, recordAttributes[kind](name)) });
const onRecord =
  (kind: Kind, parameter: string, body?: object) =>
  async (owner: Owner): Promise<Request> => ({
    parameters: { [parameter]: await createRecord(kind, owner) },
    ...(body && { body }),
  });
const updating: Readonly<Record<Kind, readonly [number, number, number]>> = {
  'agent-pools': [6, 5, 8],
  'ssh-keys': [6, 5, 8],
  'oauth-clients': [9, 10, 8],
};
/** A deletion looks for uses before and after the mark; that of an SSH key once. An agent pool can be a default of each project. */
const deleting: Readonly<Record<Kind, readonly [number, number, number]>> = {
  'agent-pools': [13, 58, 3],
  'ssh-keys': [9, 8, 3],
  'oauth-clients': [11, 12, 3],
};
const records = (['agent-pools', 'ssh-keys', 'oauth-clients'] as const).flatMap((kind) => {
  const parameter = `${kind.replaceAll('-', '_').slice(0, -1)}_id`;
  return [
    on(`${kind}.list`, 3, 2, 0),
    on(`${kind}.create`, 5, 3.5, 7, ({ name }) => ({ body: document(kind, recordAttributes[kind](name)) })),
    on(`${kind}.show`, 2, 2, 0, onRecord(kind, parameter)),
    on(`${kind}.update`, ...updating[kind], onRecord(kind, parameter, document(kind, { name: 'renamed' }))),
    on(`${kind}.delete`, ...deleting[kind], onRecord(kind, parameter)),
  ];
});
const identityOf = async ({ name, team }: Owner, relationships: object = {}) =>
  document(
    'workload-identities',
    { name, issuer: 'https://issuer.example.com', conditions: [{ claim: '/sub', equals: ['x'] }] },
    { team: to('teams', await team()), ...relationships },
  );
const onIdentity =
  (body?: object) =>
  async (owner: Owner): Promise<Request> => ({
    parameters: {
      workload_identity_id: await owner.createResource('workload-identities.create', { body: await identityOf(owner) }),
    },
    ...(body && { body }),
  });
const identities = [
  on('workload-identities.list', 4, 3, 0),
  on('workload-identities.create', 6, 4.5, 9, async (owner) => ({ body: await identityOf(owner) })),
  on('workload-identities.show', 3, 2.5, 0, onIdentity()),
  on('workload-identities.update', 8, 6.5, 8, onIdentity(document('workload-identities', { name: 'renamed' }))),
  on('workload-identities.delete', 9, 7, 4, onIdentity()),
  on(
    'workload-identities.test',
    3,
    2.5,
    0,
    onIdentity(document('workload-identity-tests', { 'subject-token': 'not a token' })),
  ),
];
const newJob = async (owner: Owner) => ({
  body: document('bulk-jobs', {
    action: 'update',
    parameters: { description: 'x' },
    selection: { ids: [await owner.workspace()] },
  }),
});
const onJob = async (owner: Owner): Promise<Request> => ({
  parameters: { bulk_job_id: await owner.createResource('bulk-jobs.create', await newJob(owner)) },
});
/** A job that has ended: the worker, which no request waits for, has previewed and executed it. */
const onEndedJob = async (owner: Owner): Promise<Request> => {
  const request = await onReadyJob(owner);
  await owner.sendRequest('bulk-jobs.apply', request);
  await owner.fixture.api.lambda.runDeferred();
  return { ...request, headers: {} };
};
const onReadyJob = async (owner: Owner): Promise<Request> => {
  const request = await onJob(owner);
  await owner.fixture.api.lambda.runDeferred();
  const { headers } = await owner.sendRequest('bulk-jobs.show', request);
  return { ...request, headers: { 'if-match': String(headers['etag']) } };
};
const bulkJobs = [
  on('bulk-jobs.list', 4, 3, 0, onJob),
  on('bulk-jobs.create', 4, 4, 9, newJob),
  on('bulk-jobs.show', 3, 3, 0, onJob),
  on('bulk-jobs.list-items', 4, 4, 0, onEndedJob),
  on('bulk-jobs.apply', 6, 6, 9, onReadyJob),
  on('bulk-jobs.cancel', 4, 4, 9, onJob),
  on('bulk-jobs.retry', 5, 5, 9, async (owner) => {
    const request = await onJob(owner);
    await owner.sendRequest('bulk-jobs.cancel', request);
    return request;
  }),
  on('bulk-jobs.report', 3, 3, 0, onEndedJob),
];
const onPool = onRecord('agent-pools', 'agent_pool_id');
const tokenBody = { data: { attributes: { description: 'build' } } };
const agents = [
  on('agents.list', 2, 2, 0, onPool),
  on('agent-pool-tokens.list', 3, 3, 0, onPool),
  on('agent-pool-tokens.create', 4, 3, 8, async (owner) => ({ ...(await onPool(owner)), body: tokenBody })),
];
const onProjectsOfClient = async (owner: Owner): Promise<Request> => ({
  ...(await onRecord('oauth-clients', 'oauth_client_id')(owner)),
  body: { data: [{ type: 'projects', id: owner.fixture.projects[0] ?? '' }] },
});
const connections = [
  on('oauth-tokens.list', 4, 4, 0),
  on('oauth-tokens.list-of-client', 2, 2, 0, onRecord('oauth-clients', 'oauth_client_id')),
  on('oauth-tokens.show', 2, 2, 0, async (owner) => ({
    parameters: { oauth_token_id: (await createRecord('oauth-clients', owner)).replace('oc-', 'ot-') },
  })),
  on('oauth-clients.add-projects', 7, 6, 8, onProjectsOfClient),
  on('oauth-clients.remove-projects', 6, 5, 8, async (owner) => {
    const request = await onProjectsOfClient(owner);
    const path = `/oauth-clients/${request.parameters?.['oauth_client_id']}/relationships/projects`;
    await owner.fixture.request('POST', path, request.body);
    return request;
  }),
];

/** Creates a token first. */
const withToken =
  (route: RouteId, createRequest: (owner: Owner) => Request | Promise<Request> = () => ({})) =>
  async (owner: Owner): Promise<Request> => {
    const request = await createRequest(owner);
    await owner.createResource(route, request);
    return request;
  };
const tokens = [
  on('organization-token.create', 4, 2.5, 8),
  on('organization-token.show', 4, 3.5, 0, withToken('organization-token.create')),
  on('organization-token.delete', 7, 5.5, 8, withToken('organization-token.create')),
  on('team-token.show', 4, 4, 0, withToken('team-token.create', onTeam())),
  on('team-token.delete', 7, 6, 8, withToken('team-token.create', onTeam())),
  on('team-tokens.list', 3, 3, 0, withToken('team-tokens.create', onTeam())),
  on('team-tokens.create', 4, 3, 8, onTeam()),
  on(
    'team-tokens.create',
    5,
    4,
    8,
    onTeam(document('authentication-tokens', { description: 'ci' })),
    'create a described token of a team',
  ),
  // All teams are read, and the tokens of each team that matches are one query.
  on(
    'organization-team-tokens.list',
    5,
    27,
    0,
    async (owner) => {
      await withToken('team-tokens.create', onTeam())(owner);
      return { query: `q=${owner.name}` };
    },
    'list the tokens of a team by its name',
  ),
];

const onWorkspace =
  (body?: object, before?: (workspace: string, owner: Owner) => Promise<unknown>) =>
  async (owner: Owner): Promise<Request> => {
    const workspace = await owner.workspace();
    await before?.(workspace, owner);
    return { parameters: { workspace_id: workspace }, ...(body && { body }) };
  };
/** Deletes a workspace that can then be restored. */
const deleted = async (owner: Owner): Promise<Request> => {
  const parameters = { workspace_id: await owner.workspace() };
  await owner.sendRequest('workspaces.force-delete', { parameters });
  return { parameters };
};
const policy = { data: { type: 'data-retention-policy-dont-deletes' } };
const createState = async (owner: Owner): Promise<Request> => {
  const parameters = { workspace_id: await owner.workspace() };
  await owner.createResource('workspaces.lock', { parameters });
  const content = buildState({ outputs: { name: { value: 'web', type: 'string' } } });
  const body = inlineStateVersionBody(content, { force: true, 'json-state': 'e30=' });
  return {
    parameters: { state_version_id: await owner.createResource('state-versions.create', { parameters, body }) },
  };
};
const createRun = async (workspace: string, { fixture }: Owner): Promise<string> => {
  const id = prefixes.run + base58(16);
  const event = runEvent({ id: workspace }, id, 'plan_queued', 1);
  await fixture.api.ingest('run.updated', { ...event, organization: ORGANIZATION });
  return id;
};
const createConfiguration = async (owner: Owner): Promise<Request> => {
  const id = prefixes.configurationVersion + base58(16);
  const workspace = await owner.workspace();
  const event = configurationEvent({ id: workspace }, id, 'uploaded', { 'ingress-attributes': { branch: 'main' } });
  await owner.fixture.api.ingest('configuration-version.updated', { ...event, organization: ORGANIZATION });
  return { parameters: { configuration_version_id: id } };
};
/** Creates a workspace with a tag of its own. */
const createTag = async ({ name, createResource, sendRequest, workspace }: Owner): Promise<Request> => {
  const parameters = { workspace_id: await workspace() };
  await createResource('workspace-tags.add', { parameters, body: { data: [{ type: 'tags', attributes: { name } }] } });
  advanceClock(0);
  const { body } = await sendRequest('workspace-tags.list', { parameters });
  return { body: toBody('tags', body.data[0].id) };
};
const variable = document('vars', { key: 'one', value: 'v'.repeat(300), category: 'env' });
const workspaces = [
  on('workspaces.force-delete-by-name', 3, 4, 9, async ({ name, workspace }) => {
    await workspace();
    return { parameters: { name } };
  }),
  on('deleted-workspaces.show', 2, 3, 0, deleted),
  on('deleted-workspaces.restore', 4, 8, 10, deleted),
  on('deleted-workspaces.purge', 3, 3, 6, deleted),
  on('recoverable-items.recover', 4, 8, 10, deleted),
  on('recoverable-items.permanently-delete', 3, 3, 6, deleted),
  on('tag-bindings.list-related', 2, 3, 0, onWorkspace()),
  on('tag-bindings.add-related', 3, 3, 4, onWorkspace(bindings)),
  on(
    'retention-policies.replace',
    3,
    3,
    2,
    onWorkspace(policy, (workspace_id, { createResource }) =>
      createResource('retention-policies.set', { parameters: { workspace_id }, body: policy }),
    ),
  ),
  on('default-retention-policies.replace', 3, 1.5, 1, async ({ createResource }) => {
    await createResource('default-retention-policies.set', { body: policy });
    return { body: policy };
  }),
  on('state-versions.outputs', 2, 5, 0, createState),
  on('state-versions.json-download', 2, 5, 0, createState),
  on('runs.list', 2, 4, 0, onWorkspace(undefined, createRun)),
  on('runs.show', 2, 5, 0, async (owner) => ({
    parameters: { run_id: await createRun(await owner.workspace(), owner) },
  })),
  on('configuration-versions.show', 2, 5, 0, createConfiguration),
  on('configuration-versions.ingress-attributes', 2, 5, 0, createConfiguration),
  on(
    'variables.list',
    7,
    7.5,
    0,
    async ({ workspace, createResource, sendRequest }) => {
      await createResource('workspace-variables.create', {
        parameters: { workspace_id: await workspace() },
        body: variable,
      });
      await sendRequest('variables.list');
      return {};
    },
    'variables.list with variables in one workspace, unchanged',
  ),
  on(
    'variables.list',
    7,
    37,
    0,
    async ({ fixture, name, createResource, sendRequest }) => {
      for (const project of fixture.projects) {
        const attributes = { name: `${name}-${project}` };
        const body = document('workspaces', attributes, { project: to('projects', project) });
        const workspace_id = await createResource('workspaces.create', { body });
        await createResource('workspace-variables.create', { parameters: { workspace_id }, body: variable });
      }
      await sendRequest('variables.list');
      return {};
    },
    'variables.list with variables in ten projects, unchanged',
  ),
];

/**
 * Operations on the list index, which has only their workspaces. The clock stops before it is read: after five seconds, the
 * next read would read all changes of the last half minute again.
 */
const lists = [
  ...(['recoverable-items.list', 'deleted-workspaces.list'] as const).map((route) =>
    on(route, 3, 6.5, 0, async (owner) => {
      await deleted(owner);
      advanceClock(0);
      await owner.sendRequest(route);
      return {};
    }),
  ),
  on('organizations.statistics', 3, 4, 0, async (owner) => {
    await owner.workspace();
    advanceClock(0);
    await owner.sendRequest('organizations.statistics');
    return {};
  }),
  on('tags.delete', 5, 6.5, 4, createTag, 'delete a tag that one workspace has'),
];

describe('DynamoDB usage of operations by an owner', () => {
  describeBudgets(useBudgetFixtures(), [
    ...service,
    ...organizations,
    ...memberships,
    ...teams,
    ...projects,
    ...access,
    ...records,
    ...agents,
    ...identities,
    ...bulkJobs,
    ...connections,
    ...tokens,
    ...workspaces,
  ]);
});

describe('DynamoDB usage of operations on the list index by an owner', () => {
  describeBudgets(useBudgetFixtures(), lists);
});
