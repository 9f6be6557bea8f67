import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationChangeTypes } from '../../../shared/domain/changes/organization-changes.ts';
import { historyPartition, type Item } from '../../../shared/store/dynamodb/keys.ts';
import { entryOf } from '../../../shared/store/history/history-reader.ts';
import { openHistoryWriter } from '../../../shared/store/history/history-writer.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followHistory, type ShownEntry } from '../../support/history/history-follower.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

interface TrailEntry extends ShownEntry {
  readonly relationships: { readonly resource: { readonly data: { readonly type: string; readonly id: string } } };
}

const TRAIL = '/organizations/acme/audit-trail';

let api: Api;
let owner: string;
let user: string;
let history: Awaited<ReturnType<typeof followHistory>>;

beforeAll(async () => {
  api = await startApi();
  history = await followHistory(api);
  const made = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  owner = made.token;
  user = made.user.id;
});
afterAll(() => api.stop());

const send = async (method: string, path: string, data?: unknown, token = owner) => {
  // The audit trail sorts changes by their time.
  if (method !== 'GET') await nextMillisecond();
  const reply = await api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body;
};
const create = async (path: string, type: string, attributes: object): Promise<string> =>
  (await send('POST', path, { type, attributes })).data.id;

/** Reads all pages of the audit trail, newest first. */
const readTrail = async (query = '', token = owner): Promise<readonly TrailEntry[]> => {
  await history.record();
  const entries: TrailEntry[] = [];
  for (let path: string | null = `${TRAIL}?${query}`; path !== null; ) {
    const body = await send('GET', path, undefined, token);
    entries.push(...body.data);
    path = body.links.next?.replace(/^.*\/api\/v2/, '') ?? null;
  }
  return entries;
};
const newest = async (action: string): Promise<TrailEntry> => {
  const [entry] = await readTrail(`filter[action]=${action}`);
  if (entry === undefined) throw new Error(`There is no entry of ${action}`);
  return entry;
};

/** Creates a team with organization permissions. @returns its id and a token of it. */
const createTeam = async (name: string, permissions: string) => {
  const { team } = await api.admin('create-team', { organization: 'acme', name, permissions });
  const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: name });
  return { id: team.id as string, token: token as string };
};

describe('GET /organizations/:organization_name/audit-trail', () => {
  it('lists the changes of the organization and of everything in it, with both values', async () => {
    await send('PATCH', '/organizations/acme', { type: 'organizations', attributes: { 'session-timeout': 60 } });
    const pool = await create('/organizations/acme/agent-pools', 'agent-pools', { name: 'pool' });
    const workspace = await create('/organizations/acme/workspaces', 'workspaces', { name: 'network' });
    const entries = await readTrail();
    const [first, second, third] = entries;
    expect(first?.relationships.resource.data).toEqual({ type: 'workspaces', id: workspace });
    expect(second?.relationships.resource.data).toEqual({ type: 'agent-pools', id: pool });
    expect([first, second].map((entry) => entry?.attributes['resource-name'])).toEqual(['network', 'pool']);
    expect(third?.attributes).toMatchObject({
      action: 'organization.updated',
      sequence: 2,
      actor: { kind: 'user', id: user, name: 'ada' },
      'token-id': expect.stringMatching(/^at-/),
      'source-address': '127.0.0.1',
      changes: [{ attribute: 'session-timeout', old: null, new: 60 }],
    });
    const actions = entries.map(({ attributes }) => attributes.action);
    for (const action of ['organization.created', 'project.created', 'team.created', 'team-membership.created']) {
      expect(actions).toContain(action);
    }
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  });

  it('shows permissions, access, tag bindings and reserved tag keys with their values', async () => {
    const team = await create('/organizations/acme/teams', 'teams', { name: 'builders' });
    await send('PATCH', `/teams/${team}`, {
      type: 'teams',
      attributes: { 'organization-access': { 'read-audit-trail': true } },
    });
    expect((await newest('team.updated')).attributes.changes).toEqual([
      { attribute: 'organization-access', old: [], new: ['read-audit-trail'] },
    ]);
    const project = await create('/organizations/acme/projects', 'projects', { name: 'Home' });
    await send('POST', '/team-projects', {
      type: 'team-projects',
      attributes: { access: 'write' },
      relationships: {
        project: { data: { type: 'projects', id: project } },
        team: { data: { type: 'teams', id: team } },
      },
    });
    expect((await newest('project.access-changed')).attributes).toMatchObject({
      changes: [{ attribute: 'team-access', member: team, old: null, new: 'write' }],
      details: { team: { id: team, access: 'write' } },
    });
    await send('PATCH', `/projects/${project}/tag-bindings`, [
      { type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } },
    ]);
    expect((await newest('project.updated')).attributes.changes).toEqual([
      { attribute: 'tag-bindings', member: 'env', old: null, new: { value: 'prod' } },
    ]);
    const key = await create('/organizations/acme/reserved-tag-keys', 'reserved-tag-keys', { key: 'cost' });
    await send('DELETE', `/reserved-tag-keys/${key}`);
    expect((await newest('organization.reserved-tag-key-deleted')).attributes).toMatchObject({
      changes: [{ attribute: 'reserved-tag-keys', member: key, old: { key: 'cost' }, new: null }],
      details: { reservedTagKey: { id: key, key: 'cost' } },
    });
  });

  it('shows limits of the lifetime of tokens with both values', async () => {
    for (const milliseconds of [86_400_000, 3_600_000]) {
      const policies = [{ 'token-type': 'team', 'max-ttl-ms': milliseconds }];
      await send('PATCH', '/organizations/acme/token-ttl-policies', {
        type: 'organization-token-ttl-policies',
        attributes: { 'token-ttl-policies': policies },
      });
    }
    const [second, first] = await readTrail('filter[action]=organization.updated');
    expect(first?.attributes.changes).toEqual([
      { attribute: 'max-ttl-enabled', old: null, new: true },
      { attribute: 'token-ttl-policies', member: 'team', old: null, new: { 'max-ttl-ms': 86_400_000 } },
    ]);
    expect(second?.attributes.changes).toEqual([
      {
        attribute: 'token-ttl-policies',
        member: 'team',
        old: { 'max-ttl-ms': 86_400_000 },
        new: { 'max-ttl-ms': 3_600_000 },
      },
    ]);
    await send('PATCH', '/organizations/acme', { type: 'organizations', attributes: { 'max-ttl-enabled': false } });
  });

  it('keeps secrets, tokens and their digests out of every stored entry', async () => {
    const secret = 'never-in-an-entry';
    const key = await create('/organizations/acme/ssh-keys', 'ssh-keys', { name: 'deploy', value: secret });
    await send('PATCH', `/ssh-keys/${key}`, { type: 'ssh-keys', attributes: { value: `${secret}-2` } });
    const { data: made } = await send('POST', '/organizations/acme/authentication-token', {
      type: 'authentication-tokens',
      attributes: {},
    });
    expect((await newest('ssh-key.updated')).attributes.changes).toEqual([
      { attribute: 'value', old: null, new: null },
    ]);
    expect((await newest('token.created')).attributes.changes).toContainEqual({
      attribute: 'owner',
      old: null,
      new: { kind: 'organization', id: 'acme' },
    });
    const digests: string[] = [];
    const entries: string[] = [];
    for await (const item of scanItems(api.engine.database)) {
      if (item['ty'] === 'token-of') digests.push(String(item['digest']));
      if (['history-entry', 'audit-pointer'].includes(String(item['ty']))) entries.push(JSON.stringify(item));
    }
    expect(entries.length).toBeGreaterThan(0);
    expect(digests.length).toBeGreaterThan(0);
    for (const text of [secret, made.attributes.token, ...digests]) expect(entries.join()).not.toContain(text);
  });

  it('the audit trail has one entry of the first use of a token, however many instances of a function use it at once', async () => {
    const { data } = await send('POST', '/organizations/acme/authentication-token', {
      type: 'authentication-tokens',
      attributes: {},
    });
    const { token } = data.attributes;
    const uses = ['/organizations/acme', '/organizations/acme/workspaces', '/organizations/acme/projects'];
    await Promise.all(uses.map((path) => send('GET', path, undefined, token)));
    await readTrail();
    const entries = await readTrail('filter[action]=token.first-used');
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      attributes: {
        sequence: 2,
        actor: { kind: 'organization', id: 'acme', name: 'acme' },
        'token-id': data.id,
        'source-address': '127.0.0.1',
        changes: [],
      },
      relationships: { resource: { data: { type: 'authentication-tokens', id: data.id } } },
    });
    expect(JSON.stringify(entries)).not.toContain(token);
    await send('GET', uses[0] ?? '', undefined, token);
    await readTrail();
    expect(await readTrail('filter[action]=token.first-used')).toHaveLength(1);
  });

  it('filters by action, actor and time, and continues by the cursor until the end', async () => {
    const all = await readTrail('page[size]=100');
    expect((await readTrail('page[size]=3')).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    const byAction = await readTrail('filter[action]=team.created,project.created');
    expect(new Set(byAction.map(({ attributes }) => attributes.action))).toEqual(
      new Set(['team.created', 'project.created']),
    );
    const byActor = await readTrail(`filter[actor]=${user}&page[size]=2`);
    expect(byActor).toEqual(all.filter(({ attributes }) => attributes.actor.id === user));
    const middle = all[Math.floor(all.length / 2)] as TrailEntry & { attributes: { 'created-at': string } };
    const at = middle.attributes['created-at'];
    const [since, until] = [await readTrail(`filter[since]=${at}`), await readTrail(`filter[until]=${at}`)];
    expect([...new Set([...since, ...until].map(({ id }) => id))].length).toBe(all.length);
    expect(since.length).toBeLessThan(all.length);
    expect(until.length).toBeLessThan(all.length);
  });

  it('finds a change by the time of its request if its last write followed minutes later', async () => {
    const [last] = await readTrail('page[size]=1');
    const { id } = (last as TrailEntry).relationships.resource.data;
    const [item] = await api.engine.database.query({ partition: historyPartition(id) });
    const at = Date.now() - 60 * 60_000;
    const deletion = { ...entryOf(item as Item), id: 'evt-1111111111111111', sequence: 999, at };
    await openHistoryWriter(api.engine.database, Date.now, 1).writeEntry(deletion, at + 20 * 60_000);
    const until = new Date(at + 1_000).toISOString();
    const ids = (await readTrail(`page[size]=1&filter[until]=${until}`)).map((entry) => entry.id);
    expect(ids).toEqual([deletion.id]);
  });

  it.each([
    ['filter[action]=workspace.exploded', 'filter[action]'],
    ['filter[actor]=', 'filter[actor]'],
    ['filter[actor]=ada', 'filter[actor]'],
    ['filter[since]=yesterday', 'filter[since]'],
    ['page[after]=1', 'page[after]'],
    ['page[after]=0000000000001-0000000001', 'page[after]'],
    ['page[number]=1', 'page[number]'],
    ['page[size]=0', 'page[size]'],
    ['filter[name]=x', 'filter[name]'],
  ])('rejects the query %s with 400', async (query, parameter) => {
    const { status, body } = await api.request('GET', `${TRAIL}?${query}`, { token: owner });
    expect(status).toBe(400);
    expect(body.errors[0].source).toEqual({ parameter });
  });

  it('shows a team with the permission what it may see now, without tokens and addresses', async () => {
    const workspace = await create('/organizations/acme/workspaces', 'workspaces', { name: 'hidden' });
    const secret = await create('/organizations/acme/teams', 'teams', { name: 'secret', visibility: 'secret' });
    const shown = await create('/organizations/acme/teams', 'teams', { name: 'shown', visibility: 'organization' });
    const auditors = await createTeam('auditors', 'read-audit-trail');
    const createToken = async (team: string) => {
      const body = { type: 'authentication-tokens', attributes: { description: 'to be revoked' } };
      const { data } = await send('POST', `/teams/${team}/authentication-tokens`, body);
      await send('GET', '/organizations/acme', undefined, data.attributes.token);
      await readTrail();
      await send('DELETE', `/authentication-tokens/${data.id}`);
      return data.id;
    };
    const [secretToken, shownToken] = [await createToken(secret), await createToken(shown)];
    const entries = await readTrail('page[size]=100', auditors.token);
    const ids = entries.map(({ relationships }) => relationships.resource.data.id);
    expect(ids).toContain(shown);
    expect(ids).toContain(auditors.id);
    expect(ids).not.toContain(secret);
    expect(ids).not.toContain(workspace);
    expect(ids).toContain(shownToken);
    expect(ids).not.toContain(secretToken);
    const origins = entries.flatMap(({ attributes }) => [attributes['token-id'], attributes['source-address']]);
    expect(new Set(origins)).toEqual(new Set([null]));

    await send('POST', '/team-workspaces', {
      type: 'team-workspaces',
      attributes: { access: 'read' },
      relationships: {
        workspace: { data: { type: 'workspaces', id: workspace } },
        team: { data: { type: 'teams', id: auditors.id } },
      },
    });
    const after = await readTrail('page[size]=100', auditors.token);
    expect(after.map(({ relationships }) => relationships.resource.data.id)).toContain(workspace);
  });

  it('shows ids of assigned workspaces and projects only of those that the caller can read now', async () => {
    const auditors = await createTeam('assignment-auditors', 'read-audit-trail');
    const shown = await create('/organizations/acme/projects', 'projects', { name: 'shown' });
    const hidden = await create('/organizations/acme/projects', 'projects', { name: 'hidden' });
    await api.admin('grant-access', {
      organization: 'acme',
      team: 'assignment-auditors',
      project: 'shown',
      access: 'read',
    });
    const workspace = await create('/organizations/acme/workspaces', 'workspaces', { name: 'assigned' });
    const set = await create('/organizations/acme/varsets', 'varsets', { name: 'assigned' });
    await send('POST', `/varsets/${set}/relationships/workspaces`, [{ type: 'workspaces', id: workspace }]);
    const projects = [shown, hidden].map((id) => ({ type: 'projects', id }));
    await send('POST', `/varsets/${set}/relationships/projects`, projects);
    const query = 'filter[action]=variable-set.assignments-changed';
    const assignments = async (token?: string) =>
      (await readTrail(query, token)).map(({ attributes }) => attributes.details.assignments);
    expect(await assignments()).toEqual([
      { target: 'projects', added: expect.arrayContaining([shown, hidden]), removed: [] },
      { target: 'workspaces', added: [workspace], removed: [] },
    ]);
    expect(await assignments(auditors.token)).toEqual([
      { target: 'projects', added: [shown], removed: [], withheld: true },
      { target: 'workspaces', added: [], removed: [], withheld: true },
    ]);
  });

  it('shows values of variables to owners, and to others only with the right to read variables', async () => {
    const workspace = await create('/organizations/acme/workspaces', 'workspaces', { name: 'vars' });
    await create(`/workspaces/${workspace}/vars`, 'vars', { key: 'REGION', value: 'eu-west-1', category: 'env' });
    const readers = await createTeam('everywhere', 'read-audit-trail,manage-policies');
    const query = 'filter[action]=workspace.variable-created';
    expect(JSON.stringify(await readTrail(query))).toContain('eu-west-1');
    const [entry] = await readTrail(query, readers.token);
    expect(entry?.attributes.changes[0]).toMatchObject({
      attribute: 'variables',
      old: null,
      new: null,
      withheld: true,
    });
  });
});

describe('GET /organization/audit-trail', () => {
  let token: string;
  const read = async (query = '') => {
    await history.record();
    return api.request('GET', `/organization/audit-trail?${query}`, { token });
  };
  beforeAll(async () => {
    const path = '/organizations/acme/authentication-token?token=audit-trails';
    token = (await send('POST', path, { type: 'authentication-tokens', attributes: {} })).data.attributes.token;
    // The first use of the token is an entry too, which is recorded in two steps.
    await read();
    await history.record();
  });

  it('returns plain JSON in the form of the original', async () => {
    const workspace = await create('/organizations/acme/workspaces', 'workspaces', { name: 'plain' });
    await send('POST', `/workspaces/${workspace}/actions/lock`);
    const { status, headers, body } = await read();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const organization = (await send('GET', '/organizations/acme')).data.attributes['external-id'];
    expect(body.data[0]).toEqual({
      id: expect.stringMatching(/^evt-/),
      version: '0',
      type: 'Resource',
      timestamp: expect.stringMatching(/Z$/),
      auth: {
        accessor_id: user,
        description: 'ada',
        type: 'Client',
        impersonator_id: null,
        organization_id: organization,
      },
      request: { id: expect.any(String) },
      resource: {
        id: workspace,
        type: 'workspace',
        action: 'lock',
        meta: { event: 'workspace.locked', sequence: 2, changed: ['lock'] },
      },
    });
    expect(body.pagination).toEqual({
      current_page: 1,
      prev_page: null,
      next_page: null,
      total_pages: 1,
      total_count: body.data.length,
    });
    const described = new Set(
      body.data.map((entry: { resource: object }) => JSON.stringify(Object.values(entry.resource).slice(1, 3))),
    );
    for (const [type, action] of [
      ['var', 'create'],
      ['authentication_token', 'create'],
      ['reserved_tag_key', 'destroy'],
      ['project', 'update_team_permissions'],
    ]) {
      expect(described).toContain(JSON.stringify([type, action]));
    }
  });

  it('pages by number and begins at a time', async () => {
    const { body: whole } = await read();
    const total = whole.pagination.total_count;
    const pages = Math.ceil(total / 4);
    const ids: string[] = [];
    for (let number = 1; number <= pages; number++) {
      const { body } = await read(`page[number]=${number}&page[size]=4`);
      expect(body.pagination).toMatchObject({ current_page: number, total_pages: pages, total_count: total });
      expect(body.pagination.next_page).toBe(number === pages ? null : number + 1);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
    }
    expect(ids).toEqual(whole.data.map(({ id }: { id: string }) => id));
    const { body: beyond } = await read(`page[number]=${pages + 5}&page[size]=4`);
    expect(beyond.data).toEqual([]);
    expect(beyond.pagination).toMatchObject({ prev_page: pages, next_page: null });
    const { body: recent } = await read(`since=${whole.data[2].timestamp}`);
    expect(recent.data.length).toBeGreaterThanOrEqual(3);
    const { body: later } = await read(`since=${new Date(Date.now() + 60_000).toISOString()}`);
    expect(later.data).toEqual([]);
  });

  it.each(['since=yesterday', 'page[number]=0', 'page[size]=x'])('rejects the query %s with 400', async (query) => {
    expect((await read(query)).status).toBe(400);
  });

  it('is 404 for every other token and 401 without a valid one', async () => {
    expect((await api.request('GET', '/organization/audit-trail', { token: owner })).status).toBe(404);
    expect((await api.request('GET', '/organization/audit-trail', { token: 'nonsense' })).status).toBe(401);
    expect((await api.request('GET', TRAIL, { token })).status).toBe(404);
  });
});

it('has entries of every type of change of the organization that the API can make', async () => {
  await send('DELETE', '/organizations/acme/authentication-token');
  await send('PATCH', '/organizations/acme', { type: 'organizations', attributes: { 'session-timeout': null } });
  const seen = new Set((await readTrail('page[size]=100')).map(({ attributes }) => attributes.action));
  const expected: readonly string[] = [
    'organization.created',
    'organization.updated',
    'organization.reserved-tag-key-created',
    'organization.reserved-tag-key-deleted',
    'project.created',
    'project.updated',
    'project.access-changed',
    'team.created',
    'team.updated',
    'team-membership.created',
    'organization-membership.created',
    'token.created',
    'token.revoked',
    'agent-pool.created',
    'ssh-key.created',
    'ssh-key.updated',
  ];
  for (const type of expected) {
    expect(organizationChangeTypes).toContain(type);
    expect(seen).toContain(type);
  }
});
