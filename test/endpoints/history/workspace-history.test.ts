import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exists } from '../../../shared/domain/changes/conditions.ts';
import { type Item, keys } from '../../../shared/store/dynamodb/keys.ts';
import { readStreamChange } from '../../../shared/store/history/stream-changes.ts';
import { update as updateItem } from '../../../shared/store/items/item-write.ts';
import { sequenceDistance } from '../../../shared/store/restore/after-restore.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { createSshKey } from '../../support/api/create-ssh-key.ts';
import { seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followHistory, type ShownChange, type ShownEntry } from '../../support/history/history-follower.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

let api: Api;
let owner: string;
let history: Awaited<ReturnType<typeof followHistory>>;

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  history = await followHistory(api);
  const attributes = { 'allowed-value-references': ['ssm:/any/'] };
  await send('PATCH', '/organizations/acme', { data: { type: 'organizations', attributes } });
});
afterAll(() => api.stop());

const send = async (method: string, path: string, body?: unknown, token = owner) => {
  const reply = await api.request(method, path, { token, ...(body !== undefined && { body }) });
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body;
};
const workspaceBody = (attributes: object) => ({ data: { type: 'workspaces', attributes } });
/** Reads every item of the table. */
const storedItems = async (): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const item of scanItems(api.engine.database)) items.push(item);
  return items;
};
let count = 0;
const create = async (attributes: object = {}): Promise<string> =>
  (await send('POST', '/organizations/acme/workspaces', workspaceBody({ name: `w${++count}`, ...attributes }))).data.id;
const update = (id: string, attributes: object) => send('PATCH', `/workspaces/${id}`, workspaceBody(attributes));
const variableBody = (attributes: object) => ({ data: { type: 'vars', attributes } });
const createVariable = async (id: string, attributes: object): Promise<string> =>
  (await send('POST', `/workspaces/${id}/vars`, variableBody({ key: 'k', value: 'v', category: 'env', ...attributes })))
    .data.id;
const updateVariable = (id: string, variable: string, attributes: object) =>
  send('PATCH', `/workspaces/${id}/vars/${variable}`, variableBody(attributes));

const newest = async (id: string, token = owner): Promise<ShownEntry['attributes']> =>
  ((await history.read(id, token))[0] as ShownEntry).attributes;
const changeOf = ({ changes }: ShownEntry['attributes'], attribute: string, member?: string): ShownChange | undefined =>
  changes.find((change) => change.attribute === attribute && (member === undefined || change.member === member));

/** Creates a team with access to a workspace. @returns the id of the team and a token of it. */
const createTeam = async (id: string, attributes: object, access: string | object) => {
  const name = `team-${++count}`;
  const team = await send('POST', '/organizations/acme/teams', {
    data: { type: 'teams', attributes: { name, ...attributes } },
  });
  const granted = typeof access === 'string' ? { access } : { access: 'custom', ...access };
  await send('POST', '/team-workspaces', {
    data: {
      type: 'team-workspaces',
      attributes: granted,
      relationships: {
        workspace: { data: { type: 'workspaces', id } },
        team: { data: { type: 'teams', id: team.data.id } },
      },
    },
  });
  const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: name });
  return { id: team.data.id as string, token: token as string };
};

describe('the history of a workspace', () => {
  it('has one entry for each change, with the actor, the token, the address and both values', async () => {
    const id = await create({ description: 'before' });
    await update(id, { description: 'after', 'auto-apply': true });
    const entries = await history.read(id, owner);
    expect(entries.map(({ attributes }) => [attributes.sequence, attributes.action])).toEqual([
      [2, 'workspace.updated'],
      [1, 'workspace.created'],
    ]);
    const { changes, ...entry } = (entries[0] as ShownEntry).attributes;
    expect(changes).toHaveLength(2);
    expect(changes).toEqual(
      expect.arrayContaining([
        { attribute: 'description', old: 'before', new: 'after' },
        { attribute: 'auto-apply', old: false, new: true },
      ]),
    );
    expect(entry).toMatchObject({
      actor: { kind: 'user', id: expect.stringMatching(/^user-/), name: expect.any(String) },
      'token-id': expect.stringMatching(/^at-/),
      'source-address': '127.0.0.1',
      details: {},
    });
    expect(changeOf((entries[1] as ShownEntry).attributes, 'description')).toMatchObject({ old: null, new: 'before' });
  });

  it('has the holder and the reason of a lock', async () => {
    const id = await create();
    await send('POST', `/workspaces/${id}/actions/lock`, { reason: 'maintenance' });
    const lock = { kind: 'User', reason: 'maintenance', holder: expect.stringMatching(/^user-/) };
    expect(changeOf(await newest(id), 'lock')).toMatchObject({ old: null, new: lock });
    await send('POST', `/workspaces/${id}/actions/unlock`);
    expect(changeOf(await newest(id), 'lock')).toMatchObject({ old: lock, new: null });
  });

  it('has the tags that changed, by their keys', async () => {
    const id = await create();
    const tags = { data: [{ type: 'tags', attributes: { name: 'core' } }] };
    await send('POST', `/workspaces/${id}/relationships/tags`, tags);
    expect((await newest(id)).changes).toEqual([
      { attribute: 'tag-bindings', member: 'core', old: null, new: { value: null } },
    ]);
  });

  it('has long text that is stored apart from the workspace, and values of more than 2 KB as a fingerprint', async () => {
    const id = await create();
    const description = 'd'.repeat(900);
    await update(id, { description });
    expect((await newest(id)).changes).toEqual([{ attribute: 'description', old: null, new: description }]);
    const prefixes = Array.from({ length: 90 }, (_, index) => `/modules/${String(index).padStart(30, '0')}`);
    await update(id, { 'trigger-prefixes': prefixes });
    const large = { length: JSON.stringify(prefixes).length, fingerprint: expect.any(String) };
    expect((await newest(id)).changes).toEqual([{ attribute: 'trigger-prefixes', old: [], new: large }]);
    await update(id, { 'trigger-prefixes': [], description: null });
    const back = await newest(id);
    expect(changeOf(back, 'description')).toEqual({ attribute: 'description', old: description, new: null });
    expect(changeOf(back, 'trigger-prefixes')).toMatchObject({ old: large, new: [] });
  });

  it('a history entry has the ids of the remote state consumers that a change of many added, removed or set', async () => {
    const id = await create();
    const { prj: project } = (await api.engine.database.get(keys.workspace(id))) as Item & { prj: string };
    const seeds = Array.from({ length: 60 }, (_, index) => ({ organization: 'acme', project, name: `c${index}` }));
    const ids = (await seedWorkspaces(api.engine, seeds)).map((workspace) => workspace.id);
    const change = async (method: string, consumers: readonly string[]) => {
      const data = consumers.map((consumer) => ({ type: 'workspaces', id: consumer }));
      await send(method, `/workspaces/${id}/relationships/remote-state-consumers`, { data });
      const { details } = await newest(id);
      return { ...details.consumers, ids: details.consumers.ids?.toSorted() };
    };
    const sorted = (from: number, to: number) => ids.slice(from, to).toSorted();
    const [added, removed, replaced] = ['added', 'removed', 'replaced'];
    expect(await change('POST', ids.slice(0, 30))).toEqual({ change: added, count: 30, ids: sorted(0, 30) });
    const { token } = await createTeam(id, { visibility: 'organization' }, 'read');
    const hidden = { change: added, count: 30, ids: [], withheld: true };
    expect((await history.read(id, token))[1]?.attributes.details.consumers).toEqual(hidden);
    // Only those that were not consumers before.
    expect(await change('POST', ids.slice(20, 60))).toEqual({ change: added, count: 40, ids: sorted(30, 60) });
    expect(await change('DELETE', ids.slice(0, 40))).toEqual({ change: removed, count: 40, ids: sorted(0, 40) });
    expect(await change('PATCH', ids.slice(0, 25))).toEqual({ change: replaced, count: 25, ids: sorted(0, 25) });
    expect(await change('DELETE', ids.slice(0, 21))).toEqual({ change: removed, count: 21, ids: sorted(0, 21) });
  });

  it('a stream record of a chunk has the changed remote state consumers only if an entry refers to it', () => {
    const changeOf = (count: number, attributes: object = {}) => {
      const ids = Array.from({ length: count }, (_, index) => `consumer-${index}`);
      const { pk, sk } = keys.consumers('ws-1', 'generation', 0);
      const [Keys, image] = [
        { pk: { S: pk }, sk: { S: sk } },
        { ty: { S: 'consumers' }, v: { N: '1' }, n: { N: '1' }, ...attributes },
      ];
      return readStreamChange({ dynamodb: { Keys, NewImage: { ...Keys, ...image, ids: { SS: ids } } } });
    };
    const requested = (count: number) => ({ requested: { N: String(count) } });
    const stored = { kind: 'consumers', consumers: { change: 1, chunk: 0, removed: [] } };
    // Chunks of earlier releases do not have the number of ids in the request.
    for (const attributes of [{}, requested(21), requested(1_000)])
      expect(changeOf(5, attributes)).toMatchObject(stored);
    expect(changeOf(1_000)).toMatchObject(stored);
    expect(changeOf(1_001)).toBeUndefined();
    // The change record has the ids, they are too many, or the chunk is a copy.
    for (const count of [20, 1_001, 0]) expect(changeOf(5, requested(count))).toBeUndefined();
  });

  it('does not change when the stream delivers its records again', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'plain' });
    const records = await history.record();
    await updateVariable(id, variable, { sensitive: true });
    await history.record();
    const before = await history.read(id, owner);
    await api.recordHistory(records);
    expect(await history.read(id, owner)).toEqual(before);
  });
});

describe('a variable in the history', () => {
  it('has its values before and after each change', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'one' });
    expect(changeOf(await newest(id), 'variables', variable)).toMatchObject({
      old: null,
      new: { key: 'k', category: 'env', value: 'one', sensitive: false },
    });
    await updateVariable(id, variable, { value: 'two', key: 'renamed' });
    expect(changeOf(await newest(id), 'variables', variable)).toMatchObject({
      old: { key: 'k', value: 'one' },
      new: { key: 'renamed', value: 'two' },
    });
    await send('DELETE', `/workspaces/${id}/vars/${variable}`);
    expect(changeOf(await newest(id), 'variables', variable)).toMatchObject({
      old: { key: 'renamed', value: 'two' },
      new: null,
    });
  });

  it('has the length and the fingerprint of a value of more than 2 KB', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'x'.repeat(2_049) });
    expect(changeOf(await newest(id), 'variables', variable)?.new.value).toEqual({
      length: 2_049,
      fingerprint: expect.stringMatching(/^[0-9a-f]{8}\./),
    });
  });

  it('shows of a sensitive value only whether a change left it the same', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'one', sensitive: true });
    const readChange = async () => changeOf(await newest(id), 'variables', variable);
    const shown = { sensitive: true, value: null, 'value-reference': null };
    const created = await readChange();
    expect(created).toMatchObject({ old: null, new: shown });
    expect(created).not.toHaveProperty('value-unchanged');
    await updateVariable(id, variable, { value: 'two' });
    expect(await readChange()).toMatchObject({ old: shown, new: shown, 'value-unchanged': false });
    await updateVariable(id, variable, { value: 'two' });
    expect(await readChange()).toMatchObject({ old: shown, new: shown, 'value-unchanged': true });
    await updateVariable(id, variable, { description: 'described' });
    expect(await readChange()).toMatchObject({ 'value-unchanged': true });
  });

  it('compares no guess with a secret that another guess has overwritten', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'secret', sensitive: true });
    for (const guess of ['wrong', 'secret', 'other', 'secret']) await updateVariable(id, variable, { value: guess });
    const entries = (await history.read(id, owner)).slice(0, 4);
    for (const { attributes } of entries) {
      expect(changeOf(attributes, 'variables', variable)).toMatchObject({ 'value-unchanged': false });
    }
  });

  it('shows a fingerprint of a sensitive value neither in the history, nor in the audit trail, nor in an export', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'secret', sensitive: true });
    await updateVariable(id, variable, { value: 'other' });
    const relationships = { workspaces: { data: [{ type: 'workspaces', id }] } };
    const set = { data: { type: 'varsets', attributes: { name: `set of ${id}` }, relationships } };
    const variableSet = (await send('POST', '/organizations/acme/varsets', set)).data.id;
    const sensitive = variableBody({ key: 'k', category: 'env', value: 'secret', sensitive: true });
    const inSet = (await send('POST', `/varsets/${variableSet}/relationships/vars`, sensitive)).data.id;
    await send('PATCH', `/varsets/${variableSet}/relationships/vars/${inSet}`, variableBody({ value: 'other' }));
    const entries = JSON.stringify(await history.read(id, owner));
    const trail = JSON.stringify(await send('GET', '/organizations/acme/audit-trail?page[size]=100'));
    const { objects } = await api.admin('export-history', { organization: 'acme' });
    const exported = objects.map((key: string) => String(api.bucket.objects().get(key))).join('');
    const stored = (await storedItems()).filter((item) => [variable, inSet].includes(String(item['id'])));
    const fingerprints = new Set(stored.flatMap(({ fp, fingerprint }) => [fp, fingerprint]).filter(Boolean));
    expect(fingerprints.size).toBe(4);
    for (const shown of [entries, trail, exported]) {
      expect(shown).toContain(`"${variable}"`);
      expect([...fingerprints].filter((fingerprint) => shown.includes(String(fingerprint)))).toEqual([]);
    }
    for (const shown of [trail, exported]) expect(shown).toContain(`"${inSet}"`);
  });

  it.each([
    ['becomes sensitive', {}],
    ['becomes sensitive and gets another key in the same request', { key: 'other' }],
    ['becomes sensitive and gets a value reference in the same request', { 'value-reference': 'ssm:/any/where' }],
  ])('loses its plain values in all entries when it %s', async (_, attributes) => {
    const id = await create();
    const variable = await createVariable(id, { value: 'plain-1' });
    await updateVariable(id, variable, { value: 'plain-2' });
    expect(JSON.stringify(await history.read(id, owner))).toContain('plain-1');
    await updateVariable(id, variable, { sensitive: true, ...attributes });
    // The stream has not delivered the change yet.
    for (const path of [`/workspaces/${id}/history`, '/organizations/acme/audit-trail?page[size]=100'])
      expect(JSON.stringify(await send('GET', path))).not.toContain('plain-');
    const entries = await history.read(id, owner);
    expect(JSON.stringify(entries)).not.toContain('plain-');
    const stored = await storedItems();
    const parts = stored.filter(({ ty }) => String(ty).startsWith('history-'));
    expect(JSON.stringify(parts)).not.toContain('plain-');
  });

  it('has its value reference, which is no value', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'one', sensitive: true });
    await updateVariable(id, variable, { 'value-reference': 'ssm:/any/where' });
    expect(changeOf(await newest(id), 'variables', variable)).toMatchObject({
      old: { sensitive: true, value: null, 'value-reference': null },
      new: { sensitive: true, value: null, 'value-reference': 'ssm:/any/where' },
    });
  });

  it('has an entry for each verification, without the value', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'right', sensitive: true });
    await send('POST', `/workspaces/${id}/vars/${variable}/actions/verify`, { value: 'wrong-guess' });
    const entry = await newest(id);
    expect(entry).toMatchObject({
      action: 'workspace.variable-verified',
      changes: [],
      details: { variable: { id: variable }, matches: false },
    });
    expect(JSON.stringify(await storedItems())).not.toContain('wrong-guess');
  });

  it('has no plain value when its records arrive after it has become sensitive', async () => {
    const id = await create();
    const variable = await createVariable(id, { value: 'plain-late' });
    await updateVariable(id, variable, { sensitive: true });
    // The function may fail for one record while it handles a later one, so records can arrive in any order.
    const records = await history.record();
    const deleteHistory = async ({ pk, sk }: Item) =>
      api.engine.database.write({ kind: 'delete', key: { pk: String(pk), sk: String(sk) } });
    const stored = await storedItems();
    await Promise.all(stored.filter(({ ty, id: of }) => ty === 'history-value' && of === variable).map(deleteHistory));
    await api.recordHistory(records);
    expect(JSON.stringify(await history.read(id, owner))).not.toContain('plain-late');
  });
});

describe('a caller', () => {
  it('sees variables only with the permission to read them', async () => {
    const id = await create();
    const { token } = await createTeam(id, { visibility: 'organization' }, { variables: 'none' });
    const variable = await createVariable(id, { key: 'HIDDEN_KEY', value: 'hidden' });
    const entry = await newest(id, token);
    expect(entry.changes).toEqual([{ attribute: 'variables', member: variable, old: null, new: null, withheld: true }]);
    expect(entry.details.variable).toEqual({ id: variable });
  });

  it('sees values of a deleted variable only as an owner', async () => {
    const id = await create();
    const { token } = await createTeam(id, { visibility: 'organization' }, 'admin');
    const variable = await createVariable(id, { value: 'deleted-value' });
    expect(JSON.stringify(await history.read(id, token))).toContain('deleted-value');
    await send('DELETE', `/workspaces/${id}/vars/${variable}`);
    const seen = await history.read(id, token);
    expect(JSON.stringify(seen)).not.toContain('deleted-value');
    expect(changeOf((seen[0] as ShownEntry).attributes, 'variables')).toMatchObject({
      old: { key: 'k' },
      withheld: true,
    });
    expect(JSON.stringify(await history.read(id, owner))).toContain('deleted-value');
  });

  it('sees secret teams only as a member of them, or as somebody who manages access', async () => {
    const id = await create();
    const reader = await createTeam(id, { visibility: 'organization' }, 'read');
    const secret = await createTeam(id, { visibility: 'secret' }, 'admin');
    await send('POST', `/workspaces/${id}/actions/lock`, { reason: 'r' }, secret.token);
    const seen = await history.read(id, reader.token);
    expect(JSON.stringify(seen)).not.toContain(secret.id);
    expect((seen[0] as ShownEntry).attributes.actor).toEqual({ kind: 'team', id: null, name: null });
    for (const token of [owner, secret.token]) {
      const all = JSON.stringify(await history.read(id, token));
      expect(all).toContain(secret.id);
    }
    expect(await history.read(id, reader.token, `filter[actor]=${secret.id}`)).toEqual([]);
  });

  it('sees ids of remote state consumers only of workspaces that it can read now', async () => {
    const [id, shown, hidden] = [await create(), await create(), await create()];
    const team = await createTeam(id, { visibility: 'organization' }, 'read');
    const path = `/workspaces/${id}/relationships/remote-state-consumers`;
    await send('POST', path, { data: [shown, hidden].map((consumer) => ({ type: 'workspaces', id: consumer })) });
    const grant = {
      type: 'team-workspaces',
      attributes: { access: 'read' },
      relationships: {
        workspace: { data: { type: 'workspaces', id: shown } },
        team: { data: { type: 'teams', id: team.id } },
      },
    };
    const change = { change: 'added', count: 2 };
    expect((await newest(id, team.token)).details).toEqual({ consumers: { ...change, ids: [], withheld: true } });
    await send('POST', '/team-workspaces', { data: grant });
    expect((await newest(id, team.token)).details).toEqual({ consumers: { ...change, ids: [shown], withheld: true } });
    expect((await newest(id)).details).toEqual({ consumers: { ...change, ids: [shown, hidden] } });
  });

  it('sees tokens and source addresses only as an owner or a workspace admin', async () => {
    const id = await create();
    const writer = await createTeam(id, { visibility: 'organization' }, 'write');
    const admin = await createTeam(id, { visibility: 'organization' }, 'admin');
    expect(await newest(id, writer.token)).toMatchObject({ 'token-id': null, 'source-address': null });
    expect(await newest(id, admin.token)).toMatchObject({
      'token-id': expect.stringMatching(/^at-/),
      'source-address': '127.0.0.1',
    });
  });
});

describe('a page of the history', () => {
  it('continues where the one before ended, and ends with a next link that is null', async () => {
    const id = await create();
    for (const name of ['a', 'b', 'c', 'd']) await update(id, { description: name });
    expect((await history.read(id, owner, 'page[size]=2')).map(({ attributes }) => attributes.sequence)).toEqual([
      5, 4, 3, 2, 1,
    ]);
    const { body } = await api.request('GET', `/workspaces/${id}/history?page[size]=5`, { token: owner });
    expect(body.links.next).toBeNull();
    expect(body).not.toHaveProperty('meta');
  });

  it('continues where the one before ended after the restore of a table, which raises the sequence numbers', async () => {
    const id = await create();
    const raised = sequenceDistance(Date.UTC(2036, 0, 1));
    await api.engine.database.write(updateItem(keys.workspace(id), { add: { seq: raised } }, exists('pk')));
    for (const name of ['a', 'b']) await update(id, { description: name });
    expect((await history.read(id, owner, 'page[size]=1')).map(({ attributes }) => attributes.sequence)).toEqual([
      raised + 3,
      raised + 2,
      1,
    ]);
  });

  it('has only the entries that pass every filter', async () => {
    const id = await create();
    await nextMillisecond();
    const began = new Date().toISOString();
    await nextMillisecond();
    await send('POST', `/workspaces/${id}/actions/lock`, { reason: 'r' });
    await send('POST', `/workspaces/${id}/actions/unlock`);
    const read = async (query: string) =>
      (await history.read(id, owner, query)).map(({ attributes }) => attributes.action);
    expect(await read('filter[action]=workspace.locked,workspace.created')).toEqual([
      'workspace.locked',
      'workspace.created',
    ]);
    expect(await read(`filter[since]=${began}`)).toEqual(['workspace.unlocked', 'workspace.locked']);
    expect(await read(`filter[until]=${began}`)).toEqual(['workspace.created']);
    const { id: user } = (await send('GET', '/account/details')).data;
    expect(await read(`filter[actor]=${user}`)).toHaveLength(3);
    expect(await read('filter[actor]=user-none')).toEqual([]);
    expect(await read('filter[actor]=acme,state-content,run-none')).toEqual([]);
    expect(await read('filter[until]=2001-01-01T00:00:00Z')).toEqual([]);
  });

  it.each([
    ['filter[since]=yesterday', 'filter[since]'],
    ['filter[until]=2026-02-31T00:00:00Z', 'filter[until]'],
    ['filter[action]=workspace.painted', 'filter[action]'],
    ['filter[actor]=a,,b', 'filter[actor]'],
    ['filter[actor]=ada', 'filter[actor]'],
    ['filter[name]=x', 'filter[name]'],
    ['page[number]=2', 'page[number]'],
    ['page[after]=5', 'page[after]'],
    ['page[size]=0', 'page[size]'],
  ])('rejects %s with 400', async (query, parameter) => {
    const { status, body } = await api.request('GET', `/workspaces/${await create()}/history?${query}`, {
      token: owner,
    });
    expect(status).toBe(400);
    expect(body.errors[0].source).toEqual({ parameter });
  });
});

describe('the history and the audit trail in the table', () => {
  it('have no secret, whatever was changed', async () => {
    const secrets = ['secret-variable-value', 'secret-second-value'];
    const id = await create();
    const variable = await createVariable(id, { value: secrets[0], sensitive: true });
    await updateVariable(id, variable, { value: secrets[1] });
    const key = await createSshKey(api, owner, 'acme', 'deploy');
    await send('PATCH', `/workspaces/${id}/relationships/ssh-key`, {
      data: { type: 'workspaces', attributes: { id: key.id } },
    });
    await history.record();
    const stored = (await storedItems()).filter(({ pk }) => /^(HIST|AUDIT)#/.test(String(pk)));
    expect(stored.length).toBeGreaterThan(4);
    const text = JSON.stringify(stored);
    for (const secret of [...secrets, 'key of deploy', owner]) expect(text).not.toContain(secret);
    expect(text).toContain(key.id);
  });
});
