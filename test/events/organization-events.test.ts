import { afterAll, beforeAll, expect, it } from 'vitest';
import { messageOf } from '../../functions/publish/message.ts';
import { organizationChangeTypes } from '../../shared/domain/changes/organization-changes.ts';
import { openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemoval } from '../../shared/store/directory/removal/open-removal.ts';
import { openSessions } from '../../shared/store/directory/sign-in/sessions.ts';
import { keys } from '../../shared/store/dynamodb/keys.ts';
import { historyFilters } from '../../shared/store/dynamodb/table-definition.ts';
import { recordKey } from '../../shared/store/items/record-items.ts';
import { serviceRequest } from '../../shared/store/workspaces/service-request.ts';
import { hasNewChangeRecord } from '../../shared/store/workspaces/stream-records.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { type Api, startApi } from '../support/api/api.ts';
import { startIssuer } from '../support/api/issuer.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { deliver } from '../support/engine/stream-mapping.ts';
import { followStream } from '../support/engine/table-stream.ts';
import { validateEvent } from '../support/events/event-schemas.ts';

const SECRET = 'never-in-an-event';

let engine: TestEngine;
let api: Api;
let token: string;
let user: string;
let stream: Awaited<ReturnType<typeof followStream>>;

beforeAll(async () => {
  engine = await startEngine();
  api = await startApi({ engine, cacheSeconds: 9_999 });
  stream = await followStream(engine);
  const made = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  token = made.token;
  user = made.user.id;
});
afterAll(async () => {
  await api.stop();
  await engine.stop();
});

const send = async (method: string, path: string, data?: unknown) => {
  const reply = await api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body;
};
const create = async (path: string, type: string, attributes: object, relationships?: object): Promise<string> =>
  (await send('POST', path, { type, attributes, ...(relationships && { relationships }) })).data.id;

/** Takes the second step of deletions as the cleanup does half a minute later. */
const finishDeletions = async (...keysOfRecords: readonly { readonly pk: string; readonly sk: string }[]) => {
  const later = () => Date.now() + 60_000;
  const directory = openDirectoryWriter(engine.database, later);
  const removal = openRemoval(directory, openWorkspaces(engine.database, later));
  for (const key of keysOfRecords) await removal.finish(serviceRequest('cleanup'), key);
};

/** Returns the events of organizations since the last call, as they would be published. */
const eventsSinceLast = async () =>
  (await stream.sinceLast()).filter(hasNewChangeRecord).flatMap((record) => {
    const message = messageOf(record);
    if (message.kind === 'poison') throw new Error(message.reason);
    const event = JSON.parse(message.entry.detail);
    expect(validateEvent(event)).toEqual([]);
    return event.resource === undefined ? [] : [event];
  });

/** Types of changes that a test has seen published. */
const seen = new Set<string>();
const typesSinceLast = async (): Promise<readonly string[]> => {
  const types = (await eventsSinceLast()).map(({ type }) => type);
  for (const type of types) seen.add(type);
  return types;
};

it('publishes an event for everything that the creation of an organization creates', async () => {
  const events = await eventsSinceLast();
  for (const { type } of events) seen.add(type);
  const byType = Object.fromEntries(events.map((event) => [event.type, event]));
  expect(Object.keys(byType).sort()).toEqual([
    'organization-membership.created',
    'organization.created',
    'project.created',
    'team-membership.created',
    'team.created',
    'token.created',
  ]);
  expect(byType['organization.created']).toMatchObject({
    sequence: 1,
    organization: 'acme',
    resource: { type: 'organizations', id: 'acme', name: 'acme' },
    actor: { kind: 'service', id: 'admin' },
  });
  expect(byType['team-membership.created']).toMatchObject({ user: { id: user } });
  expect(byType['token.created']).toMatchObject({ organization: null, owner: { kind: 'user', id: user } });
});

it('numbers the changes of an organization and names what changed', async () => {
  const path = '/organizations/acme';
  await send('PATCH', path, { type: 'organizations', attributes: { email: 'new@example.com', 'session-timeout': 60 } });
  await send('PATCH', path, { type: 'organizations', attributes: { email: 'new@example.com' } });
  const policy = { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 9 } };
  await send('POST', `${path}/relationships/data-retention-policy`, policy);
  await send('POST', `${path}/relationships/data-retention-policy`, policy);
  const key = await create(`${path}/reserved-tag-keys`, 'reserved-tag-keys', { key: 'env' });
  await send('PATCH', `/reserved-tag-keys/${key}`, {
    type: 'reserved-tag-keys',
    attributes: { 'disable-overrides': true },
  });
  await send('DELETE', `/reserved-tag-keys/${key}`);
  const events = await eventsSinceLast();
  for (const { type } of events) seen.add(type);
  expect(events.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5, 6]);
  const actor = { kind: 'user', id: user };
  expect(events).toMatchObject([
    { type: 'organization.updated', keys: ['email', 'session-timeout'], actor },
    { type: 'organization.retention-policy-changed', retentionPolicy: { deleteOlderThanDays: 9 }, actor },
    { type: 'organization.reserved-tag-key-created', reservedTagKey: { id: key, key: 'env' }, actor },
    { type: 'organization.reserved-tag-key-updated', reservedTagKey: { disableOverrides: true }, actor },
    { type: 'organization.reserved-tag-key-deleted', reservedTagKey: { id: key, key: 'env' }, actor },
  ]);
});

it('publishes the changes of teams, of their members, tokens and access to projects', async () => {
  const team = await create('/organizations/acme/teams', 'teams', { name: 'builders' });
  await send('PATCH', `/teams/${team}`, {
    type: 'teams',
    attributes: { name: 'makers', 'organization-access': { 'manage-workspaces': true } },
  });
  await send('POST', `/teams/${team}/relationships/users`, [{ type: 'users', id: 'ada' }]);
  await send('DELETE', `/teams/${team}/relationships/users`, [{ type: 'users', id: 'ada' }]);
  await send('DELETE', `/teams/${team}/relationships/users`, [{ type: 'users', id: 'ada' }]);
  await send('POST', `/teams/${team}/relationships/users`, [{ type: 'users', id: 'ada' }]);
  expect(await eventsSinceLast()).toMatchObject([
    { type: 'team.created', sequence: 1, resource: { type: 'teams', id: team, name: 'builders' } },
    { type: 'team.updated', sequence: 2, keys: ['name', 'organization-access'], previous: { name: 'builders' } },
    { type: 'team-membership.created', sequence: 1, team: { id: team }, user: { id: user } },
    { type: 'team-membership.deleted', sequence: 2, team: { id: team }, user: { id: user } },
    { type: 'team-membership.created', sequence: 3, resource: { id: `${team}/${user}`, name: null } },
  ]);
  for (const type of ['team.updated', 'team-membership.deleted']) seen.add(type);

  const { user: leaver } = await api.admin('create-user', { username: 'leaver', email: 'leaver@example.com' });
  await api.admin('add-member', { organization: 'acme', team: 'makers', username: 'leaver' });
  await eventsSinceLast();
  await api.admin('delete-user', { username: 'leaver' });
  const ended = await eventsSinceLast();
  expect(ended).toHaveLength(2);
  expect(ended).toMatchObject([
    { type: 'team-membership.deleted', team: { id: team }, user: { id: leaver.id } },
    {
      type: 'organization-membership.deleted',
      resource: { type: 'organization-memberships' },
      user: { id: leaver.id },
    },
  ]);

  const project = await create('/organizations/acme/projects', 'projects', { name: 'Home' });
  const access = await create(
    '/team-projects',
    'team-projects',
    { access: 'read' },
    { project: { data: { type: 'projects', id: project } }, team: { data: { type: 'teams', id: team } } },
  );
  await send('PATCH', `/team-projects/${access}`, { type: 'team-projects', attributes: { access: 'admin' } });
  await send('DELETE', `/team-projects/${access}`);
  await send('PATCH', `/projects/${project}`, { type: 'projects', attributes: { description: 'Homes' } });
  await send('DELETE', `/projects/${project}`);
  expect(await eventsSinceLast()).toMatchObject([
    { type: 'project.created', sequence: 1 },
    { type: 'project.access-changed', sequence: 2, team: { id: team, access: 'read' } },
    { type: 'project.access-changed', sequence: 3, team: { id: team, access: 'admin' } },
    { type: 'project.access-changed', sequence: 4, team: { id: team, access: null } },
    { type: 'project.updated', sequence: 5, keys: ['description'] },
  ]);
  for (const type of ['project.access-changed', 'project.updated']) seen.add(type);
  await send('DELETE', `/teams/${team}`);
  await finishDeletions(keys.project(project), keys.team(team));
  const deletions = await eventsSinceLast();
  expect(deletions).toMatchObject([
    { type: 'project.deleted', sequence: 6, resource: { id: project, name: 'Home' }, actor: { id: user } },
    { type: 'team.deleted', sequence: 3, resource: { id: team, name: 'makers' }, actor: { id: user } },
  ]);
  for (const { type } of deletions) seen.add(type);
});

it('publishes the creation and the revocation of tokens, without their text', async () => {
  const path = '/organizations/acme/authentication-token';
  const { data: first } = await send('POST', path, { type: 'authentication-tokens', attributes: {} });
  const { data: second } = await send('POST', path, { type: 'authentication-tokens', attributes: {} });
  await send('DELETE', path);
  const events = await eventsSinceLast();
  const owner = { kind: 'organization', id: 'acme' };
  const sorted = events.toSorted((a, b) => a.time.localeCompare(b.time) || a.type.localeCompare(b.type));
  expect(sorted).toMatchObject([
    { type: 'token.created', organization: 'acme', resource: { id: first.id }, owner, sequence: 1 },
    { type: 'token.created', resource: { id: second.id }, sequence: 1 },
    { type: 'token.revoked', resource: { id: first.id }, owner, sequence: 2 },
    { type: 'token.revoked', resource: { id: second.id }, sequence: 2 },
  ]);
  seen.add('token.revoked');
  const { items } = await api.admin('check-table');
  expect(items).toBeGreaterThan(0);
  const texts = [first, second].map(({ attributes }) => attributes.token);
  for (const text of texts) expect(JSON.stringify(events)).not.toContain(text);
  expect((await send('GET', `/users/${user}/authentication-tokens`)).data).toHaveLength(1);
});

it('publishes the first use of a token once, also when its report is delivered again', async () => {
  const path = '/organizations/acme/authentication-token';
  const { data } = await send('POST', path, { type: 'authentication-tokens', attributes: {} });
  for (let request = 0; request < 2; request++) {
    const { status } = await api.request('GET', '/organizations/acme', { token: data.attributes.token });
    expect(status).toBe(200);
  }
  const reports = await stream.sinceLast();
  await deliver(({ Records }) => api.recordHistory(Records), reports, { filters: historyFilters });
  await deliver(({ Records }) => api.recordHistory(Records), reports, { filters: historyFilters });
  const events = await eventsSinceLast();
  expect(events).toMatchObject([
    {
      type: 'token.first-used',
      sequence: 2,
      organization: 'acme',
      resource: { type: 'authentication-tokens', id: data.id },
      actor: { kind: 'organization', id: 'acme' },
      owner: { kind: 'organization', id: 'acme' },
    },
  ]);
  seen.add('token.first-used');
  expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  await send('DELETE', path);
  expect(await eventsSinceLast()).toMatchObject([{ type: 'token.revoked', sequence: 3 }]);
});

it('publishes the changes of pools, keys and connections, without secrets', async () => {
  const records = [
    ['agentPool', 'agent-pools', 'agent-pools', { name: 'one' }, { 'organization-scoped': false }],
    ['sshKey', 'ssh-keys', 'ssh-keys', { name: 'one', value: SECRET }, { value: `${SECRET}-2` }],
    [
      'vcsConnection',
      'oauth-clients',
      'oauth-clients',
      { 'service-provider': 'github', 'http-url': 'https://github.com', 'oauth-token-string': SECRET },
      { 'oauth-token-string': `${SECRET}-2` },
    ],
  ] as const;
  const changed: string[] = [];
  for (const [kind, path, type, attributes, change] of records) {
    const id = await create(`/organizations/acme/${path}`, type, attributes);
    await send('PATCH', `/${path}/${id}`, { type, attributes: change });
    await send('DELETE', `/${path}/${id}`);
    await finishDeletions(recordKey(kind, kind === 'vcsConnection' ? id.replace('oc-', 'ot-') : id));
    const events = await eventsSinceLast();
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    for (const event of events) seen.add(event.type);
    changed.push(...events.flatMap((event) => event.keys ?? []));
  }
  expect(changed).toEqual(['organization-scoped', 'value', 'oauth-token-string']);
  await api.admin('create-app-installation', { organization: 'acme', name: 'app' });
  await api.admin('update-app-installation', { organization: 'acme', name: 'app', newName: 'other' });
  await api.admin('delete-app-installation', { organization: 'acme', name: 'other' });
  expect(await typesSinceLast()).toEqual([
    'app-installation.created',
    'app-installation.updated',
    'app-installation.deleted',
  ]);
});

it('publishes the changes of a workload identity and the tokens that it gives, without their text', async () => {
  const issuer = await startIssuer('http://holdfast.test');
  const team = await create('/organizations/acme/teams', 'teams', { name: 'releases' });
  await eventsSinceLast();
  const id = await create(
    '/organizations/acme/workload-identities',
    'workload-identities',
    { name: 'deploy', issuer: issuer.url, conditions: [{ claim: '/sub', equals: ['repo:acme/network'] }] },
    { team: { data: { type: 'teams', id: team } } },
  );
  await send('PATCH', `/workload-identities/${id}`, { type: 'workload-identities', attributes: { name: 'deploy-1' } });
  const identityToken = await issuer.sign();
  const type = 'urn:ietf:params:oauth:token-type:jwt';
  const { body } = await api.request('POST', '/oauth2/token', {
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: id,
      subject_token: identityToken,
      subject_token_type: type,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  await send('DELETE', `/workload-identities/${id}`);
  await finishDeletions(recordKey('workloadIdentity', id));
  await issuer.stop();
  const events = await eventsSinceLast();
  expect(events).toMatchObject([
    { type: 'workload-identity.created', sequence: 1, resource: { id, name: 'deploy' } },
    { type: 'workload-identity.updated', sequence: 2, keys: ['name'] },
    { type: 'token.issued', sequence: 1, owner: { kind: 'workloadIdentity', id } },
    { type: 'workload-identity.deleted', sequence: 3, resource: { id } },
  ]);
  for (const text of [identityToken, body.access_token]) expect(JSON.stringify(events)).not.toContain(text);
  for (const event of events) seen.add(event.type);
});

it('publishes no deletion of a record that is in use and reopened', async () => {
  const pool = await create('/organizations/acme/agent-pools', 'agent-pools', { name: 'used' });
  await send('PATCH', '/organizations/acme', {
    type: 'organizations',
    attributes: { 'default-execution-mode': 'agent', 'default-agent-pool-id': pool },
  });
  const { status } = await api.request('DELETE', `/agent-pools/${pool}`, { token });
  expect(status).toBe(409);
  expect(await typesSinceLast()).toEqual(['agent-pool.created', 'organization.updated']);
});

it('publishes a membership of the organization that begins, ends and begins again', async () => {
  await api.admin('create-user', { username: 'ben', email: 'ben@example.com' });
  const attributes = { email: 'ben@example.com' };
  const path = '/organizations/acme/organization-memberships';
  const first = await create(path, 'organization-memberships', attributes);
  await send('DELETE', `/organization-memberships/${first}`);
  const second = await create(path, 'organization-memberships', attributes);
  const events = await eventsSinceLast();
  expect(events).toMatchObject([
    { type: 'organization-membership.created', sequence: 1, resource: { id: first } },
    { type: 'organization-membership.deleted', sequence: 2, resource: { id: first } },
    { type: 'organization-membership.created', sequence: 1, resource: { id: second } },
  ]);
  for (const { type } of events) seen.add(type);
  expect((await send('GET', path)).data).toHaveLength(2);
});

it('publishes sign-ins, linked identities, changes by groups and ended sessions of members', async () => {
  const team = await create('/organizations/acme/teams', 'teams', { name: 'pilots', 'sso-team-id': 'pilots' });
  const { user: linked } = await api.admin('create-user', { username: 'amy', email: 'amy@example.com' });
  await api.admin('add-member', { organization: 'acme', team: 'pilots', username: 'amy' });
  await send('DELETE', `/teams/${team}/relationships/users`, [{ type: 'users', id: 'amy' }]);
  await eventsSinceLast();
  const sessions = openSessions(openDirectoryWriter(engine.database, Date.now));
  const provider = { name: 'corporate', issuer: 'https://idp.example', trustedEmailDomains: ['example.com'] };
  const claims = { subject: '1', username: 'amy', email: 'amy@example.com', emailVerified: true, groups: ['pilots'] };
  const limits = { hours: 12, idleMinutes: 60 };
  const request = {
    id: 'request',
    principal: { kind: 'identity-provider', id: 'corporate', name: 'corporate' },
  } as const;
  const session = 'ss-2jPTvTDXBPFzPGbT';
  await sessions.signIn(request, { provider, ...claims, limits }, { id: session, digest: 'digest' });
  await sessions.end(request, session);
  const actor = { kind: 'identity-provider', id: 'corporate' };
  const [signIn, member] = [{ provider: 'corporate' }, { id: linked.id }];
  const events = await eventsSinceLast();
  expect(events.filter(({ type }) => type !== 'team-membership.created')).toMatchObject([
    { type: 'identity.linked', actor, signIn, user: member },
    { type: 'membership.synced', actor, signIn, user: member, teams: { added: [team], removed: [] } },
    { type: 'user.signed-in', actor: { kind: 'user', id: linked.id }, signIn: { ...signIn, session } },
    { type: 'session.ended', actor, signIn: { ...signIn, session }, resource: { type: 'organization-memberships' } },
  ]);
  for (const { type } of events) seen.add(type);
});

it('publishes that an identity is no longer linked to a member', async () => {
  await api.admin('unlink-identity', { username: 'amy', provider: 'corporate', subject: '1' });
  const events = await eventsSinceLast();
  expect(events).toMatchObject([{ type: 'identity.unlinked', signIn: { provider: 'corporate' } }]);
  for (const { type } of events) seen.add(type);
});

it('publishes that a member was exempted from the sign-in policy', async () => {
  await api.admin('exempt-user', { organization: 'acme', username: 'amy', hours: '1' });
  const events = await eventsSinceLast();
  expect(events).toMatchObject([{ type: 'user.exempted', user: { id: expect.stringMatching(/^user-/) } }]);
  for (const { type } of events) seen.add(type);
});

it('publishes that a sign-in link was created for a member', async () => {
  await api.admin('sign-in-link', { username: 'amy' });
  const events = await eventsSinceLast();
  const actor = { kind: 'service', id: 'admin' };
  expect(events).toMatchObject([
    { type: 'user.sign-in-link-created', actor, user: { id: expect.stringMatching(/^user-/) } },
  ]);
  for (const { type } of events) seen.add(type);
});

it('publishes the suspension of a member and its end', async () => {
  await api.admin('suspend-user', { username: 'amy' });
  await api.admin('resume-user', { username: 'amy' });
  const events = await eventsSinceLast();
  const [actor, resource] = [{ kind: 'service', id: 'admin' }, { type: 'organization-memberships' }];
  expect(events).toMatchObject([
    { type: 'user.suspended', actor, resource, user: { id: expect.stringMatching(/^user-/) } },
    { type: 'user.resumed', actor, resource, user: { id: expect.stringMatching(/^user-/) } },
  ]);
  for (const { type } of events) seen.add(type);
});

it('publishes the course of a bulk job, with its counts', async () => {
  const attributes = { action: 'update', parameters: { description: 'x' }, selection: { filter: {} } };
  const path = '/organizations/acme/bulk-jobs';
  const apply = async (id: string) => {
    const { headers } = await api.request('GET', `/bulk-jobs/${id}`, { token });
    const options = { token, headers: { 'if-match': String(headers['etag']) } };
    expect((await api.request('POST', `/bulk-jobs/${id}/actions/apply`, options)).status).toBe(202);
  };
  const id = await create(path, 'bulk-jobs', attributes);
  await api.lambda.runDeferred();
  await apply(id);
  await api.lambda.runDeferred();
  await send('POST', `/bulk-jobs/${await create(path, 'bulk-jobs', attributes)}/actions/cancel`);
  const events = (await eventsSinceLast()).filter(({ type }) => type.startsWith('bulk-job.'));
  expect(events.filter(({ resource }) => resource.id === id)).toMatchObject([
    { type: 'bulk-job.created', job: { status: 'preparing', total: null } },
    { type: 'bulk-job.ready', job: { status: 'ready' }, actor: { kind: 'service', id: 'bulk-jobs' } },
    { type: 'bulk-job.applied', job: { status: 'active' }, resource: { type: 'bulk-jobs', id, name: null } },
    { type: 'bulk-job.completed', job: { status: 'complete' } },
  ]);
  for (const { type } of events) seen.add(type);
});

it('publishes the deletion of an organization once it is final, for every type in the table', async () => {
  await send('DELETE', '/organizations/acme');
  expect(await typesSinceLast()).toEqual(['organization.deleted']);
  await finishDeletions(keys.organization('acme'));
  expect(await typesSinceLast()).toEqual([]);
  expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  expect([...seen].sort()).toEqual([...organizationChangeTypes].sort());
});
