import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../shared/access/credentials.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { update } from '../../../shared/store/items/item-write.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';

/** Bulk jobs over HTTP: selection, preview, application, cancellation, retry and report. */
let api: Api;
let owner: string;
let count = 0;

const attributesOf = ({ body }: { body: { data: { attributes: Record<string, unknown> } } }) => body.data.attributes;

/** Creates workspaces, and returns their ids. */
const createWorkspaces = async (number: number, attributes: object = {}): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < number; index++) {
    const body = { data: { type: 'workspaces', attributes: { name: `w-${++count}`, ...attributes } } };
    ids.push((await api.request('POST', '/organizations/acme/workspaces', { token: owner, body })).body.data.id);
  }
  return ids;
};

const create = (attributes: object, token = owner) =>
  api.request('POST', '/organizations/acme/bulk-jobs', {
    token,
    body: { data: { type: 'bulk-jobs', attributes: { rate: 200, ...attributes } } },
  });
const show = (id: string, token = owner) => api.request('GET', `/bulk-jobs/${id}`, { token });
const itemsOf = async (id: string, query = '', token = owner) =>
  (await api.request('GET', `/bulk-jobs/${id}/items?page[size]=100${query}`, { token })).body.data;
const apply = async (id: string, token = owner, body?: object) => {
  const { headers } = await show(id, token);
  return api.request('POST', `/bulk-jobs/${id}/actions/apply`, {
    token,
    headers: { 'if-match': String(headers['etag']) },
    ...(body && { body }),
  });
};

/** Creates a job, and waits for its preview. */
const prepare = async (attributes: object, token = owner): Promise<string> => {
  const created = await create(attributes, token);
  expect(created.status, JSON.stringify(created.body)).toBe(202);
  await api.lambda.runDeferred();
  return created.body.data.id;
};
/** Applies a job, and waits for its end. */
const run = async (id: string, token = owner, body?: object) => {
  expect((await apply(id, token, body)).status).toBe(202);
  await api.lambda.runDeferred();
  return attributesOf(await show(id, token));
};
const descriptionOf = async (id: string) =>
  attributesOf(await api.request('GET', `/workspaces/${id}`, { token: owner }))['description'];

beforeAll(async () => {
  api = await startApi({ deletedWorkspaceDays: 14 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(async () => {
  expect((await checkTable(api.engine.database)).findings).toEqual([]);
  await api.stop();
});

describe('bulk job', () => {
  it('previews what it would change, changes nothing before it is applied, and then changes exactly that', async () => {
    const ids = await createWorkspaces(3);
    await api.request('PATCH', `/workspaces/${ids[2]}`, {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { description: 'new' } } },
    });
    const id = await prepare({ action: 'update', parameters: { description: 'new' }, selection: { ids } });
    const ready = attributesOf(await show(id));
    expect(ready).toMatchObject({
      status: 'ready',
      total: 3,
      'preview-counts': { changed: 2, unchanged: 1, refused: 0, warned: 0 },
      'outcome-counts': { pending: 3, applied: 0 },
      'max-failures': 20,
    });
    const [first] = await itemsOf(id);
    expect(first.attributes).toMatchObject({
      position: 0,
      'preview-outcome': 'changed',
      outcome: 'pending',
      changes: { description: { old: null, new: 'new' } },
    });
    expect(await descriptionOf(String(ids[0]))).toBeNull();
    expect(await run(id)).toMatchObject({
      status: 'complete',
      'outcome-counts': { pending: 0, applied: 2, unchanged: 1, refused: 0, conflict: 0, failed: 0, skipped: 0 },
    });
    expect(await Promise.all(ids.map(descriptionOf))).toEqual(['new', 'new', 'new']);
  });
});

const patch = (id: string, attributes: object, token = owner) =>
  api.request('PATCH', `/workspaces/${id}`, { token, body: { data: { type: 'workspaces', attributes } } });
interface Item {
  readonly relationships: { readonly workspace: { readonly data: { readonly id: string } } };
}
const outcomes = async (id: string): Promise<string[]> =>
  (await itemsOf(id)).map(({ attributes }: { attributes: { outcome: string } }) => attributes.outcome);

/** Creates a team, and a user in it. @returns the id of the team, and a token of the user. */
const createMember = async (access?: { readonly workspace: string; readonly level: string }) => {
  const name = `member-${++count}`;
  const { team } = await api.admin('create-team', { organization: 'acme', name });
  await api.admin('create-user', { username: name, email: `${name}@example.com` });
  await api.admin('add-member', { organization: 'acme', team: name, username: name });
  const { token } = await api.admin('create-token', { kind: 'user', username: name });
  if (access) await grant(team.id, access.workspace, access.level);
  return { team: team.id as string, username: name, token: token as string };
};
const grant = (team: string, workspace: string, access: string) =>
  api.request('POST', '/team-workspaces', {
    token: owner,
    body: {
      data: {
        type: 'team-workspaces',
        attributes: { access },
        relationships: {
          team: { data: { type: 'teams', id: team } },
          workspace: { data: { type: 'workspaces', id: workspace } },
        },
      },
    },
  });

describe('an item', () => {
  it('that changed after the preview stays as it is, and a workspace that matches later is no item', async () => {
    const [kept, changed] = await createWorkspaces(2, { 'source-name': 'race' });
    const names = { search: { name: 'w-' } };
    const id = await prepare({
      action: 'update',
      parameters: { description: 'by the job' },
      selection: { ids: [String(kept), String(changed)] },
    });
    await patch(String(changed), { description: 'by somebody else' });
    expect(await run(id)).toMatchObject({ 'outcome-counts': { applied: 1, conflict: 1 }, status: 'complete' });
    expect(await descriptionOf(String(changed))).toBe('by somebody else');
    expect(await outcomes(id)).toEqual(['applied', 'conflict']);
    const selected = await prepare({
      action: 'update',
      parameters: { description: 'x' },
      selection: { filter: names },
    });
    const [late] = await createWorkspaces(1);
    const { total } = attributesOf(await show(selected));
    expect(await run(selected)).toMatchObject({ total, status: 'complete' });
    expect(await descriptionOf(String(late))).toBeNull();
  });

  it('is not made of a workspace that matches the filter and is an exception', async () => {
    const [kept, left] = await createWorkspaces(2, { 'terraform-version': '1.7.7' });
    const filter = { filter: { 'terraform-version': '1.7.7' } };
    const selection = { filter, except: [left, 'ws-1234567890123456'] };
    const id = await prepare({ action: 'update', parameters: { description: 'x' }, selection });
    const items: { relationships: { workspace: { data: { id: string } } } }[] = await itemsOf(id);
    expect(items.map(({ relationships }) => relationships.workspace.data.id)).toEqual([kept]);
    expect(attributesOf(await show(id))).toMatchObject({ total: 1, selection });
  });

  it('of an unknown id is refused like the single request, and shows no name', async () => {
    const id = await prepare({
      action: 'update',
      parameters: { description: 'x' },
      selection: { ids: ['ws-1234567890123456', '../account'] },
    });
    const items = await itemsOf(id);
    expect(items.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      expect.objectContaining({ 'workspace-name': null, error: expect.objectContaining({ status: '404' }) }),
      expect.objectContaining({ 'workspace-name': null, error: expect.objectContaining({ status: '404' }) }),
    ]);
  });

  it('the preview warns of a release that is older than that of the state or than the present one', async () => {
    const [written, empty] = (await createWorkspaces(2, { 'infra-version': '1.10.0' })) as [string, string];
    await send('POST', `/workspaces/${written}/actions/lock`);
    const state = await send('POST', `/workspaces/${written}/state-versions`, inlineStateVersionBody(buildState()));
    expect(state.data.attributes['terraform-version']).toBe('1.11.4');
    await send('POST', `/workspaces/${written}/actions/unlock`);
    const warningsFor = async (parameters: object) => {
      const selection = { ids: [written, empty] };
      const items = await itemsOf(await prepare({ action: 'update', parameters, selection }));
      return items.map(({ attributes }: { attributes: { warnings: string[] } }) => attributes.warnings);
    };
    expect(await warningsFor({ 'terraform-version': '1.11.3' })).toEqual([['version-older-than-state'], []]);
    expect(await warningsFor({ 'infra-version': '~> 1.9.0' })).toEqual([
      ['version-older-than-state'],
      ['version-older'],
    ]);
    expect(await warningsFor({ 'infra-version': '1.11.4' })).toEqual([[], []]);
    expect(await warningsFor({ description: 'x' })).toEqual([[], []]);
  });

  it('is refused when the caller may not make the change, or may not make it any more', async () => {
    const [own, other, lost] = (await createWorkspaces(3)) as [string, string, string];
    const { team, token } = await createMember({ workspace: own, level: 'admin' });
    await grant(team, other, 'read');
    const { body: granted } = await grant(team, lost, 'admin');
    const ids = [own, other, lost];
    const id = await prepare({ action: 'update', parameters: { description: 'x' }, selection: { ids } }, token);
    expect(attributesOf(await show(id, token))).toMatchObject({ 'preview-counts': { changed: 2, refused: 1 } });
    await api.request('DELETE', `/team-workspaces/${granted.data.id}`, { token: owner });
    expect(await run(id, token)).toMatchObject({ 'outcome-counts': { applied: 1, refused: 2 } });
    expect(await Promise.all(ids.map(descriptionOf))).toEqual(['x', null, null]);
    const shown = await itemsOf(id, '', token);
    expect(shown.map(({ relationships }: Item) => relationships.workspace.data.id)).toEqual([own, other]);
    expect((await api.request('GET', `/bulk-jobs/${id}/report`, { token })).status).toBe(403);
    expect((await api.request('GET', `/bulk-jobs/${id}/report`, { token: owner })).status).toBe(307);
  });
});

describe('the caller of a job', () => {
  it('may have a token that expires meanwhile, but not be suspended then', async () => {
    const { database } = api.engine;
    const expire = async (job: string, token: string): Promise<void> => {
      await database.write(update(keys.token(digestOf(token)), { set: { expiresAt: 1 } }));
      await database.write(update(keys.bulkJob(job), { set: { 'caller.tokenExpiresAt': 1 } }));
    };
    for (const [suspends, expected] of [
      [false, { status: 'complete', 'outcome-counts': { applied: 1 } }],
      [true, { status: 'failed', 'outcome-counts': { applied: 0, skipped: 1 } }],
    ] as const) {
      const ids = await createWorkspaces(1);
      const { username, token } = await createMember({ workspace: String(ids[0]), level: 'admin' });
      const id = await prepare({ action: 'update', parameters: { description: 'e' }, selection: { ids } }, token);
      expect((await apply(id, token)).status).toBe(202);
      await expire(id, token);
      expect((await show(id, token)).status).toBe(401);
      if (suspends) await api.admin('suspend-user', { username });
      await api.lambda.runDeferred();
      expect(attributesOf(await show(id))).toMatchObject(expected);
      // Its mirror never expired.
      await database.write(update(keys.token(digestOf(token)), { remove: ['expiresAt'] }));
    }
  });

  it('is the only one who sees it, apart from managers of workspaces, and the only one who applies it', async () => {
    const [workspace] = await createWorkspaces(1);
    const one = await createMember({ workspace: String(workspace), level: 'admin' });
    const other = await createMember({ workspace: String(workspace), level: 'admin' });
    const selection = { ids: [workspace] };
    const id = await prepare({ action: 'update', parameters: { description: 'y' }, selection }, one.token);
    expect((await show(id, other.token)).status).toBe(404);
    expect((await show(id, owner)).status).toBe(200);
    expect((await apply(id, owner)).status).toBe(404);
    const listed = await api.request('GET', '/organizations/acme/bulk-jobs', { token: other.token });
    expect(listed.body.data).toEqual([]);
    expect((await api.request('POST', `/bulk-jobs/${id}/actions/cancel`, { token: owner })).status).toBe(202);
    expect(attributesOf(await show(id, one.token))).toMatchObject({ status: 'canceled' });
  });
});

describe('applying a job', () => {
  it('needs the entity tag of the preview that was shown', async () => {
    const ids = await createWorkspaces(1);
    const id = await prepare({ action: 'update', parameters: { description: 'z' }, selection: { ids } });
    const act = (headers: Record<string, string>) =>
      api.request('POST', `/bulk-jobs/${id}/actions/apply`, { token: owner, headers });
    expect((await act({})).status).toBe(428);
    expect((await act({ 'if-match': '"stale"' })).status).toBe(412);
    expect((await apply(id)).status).toBe(202);
    await api.lambda.runDeferred();
    expect((await apply(id)).status).toBe(409);
  });

  it('skips the items with a warning on request; items that would not change have none', async () => {
    const ids = (await createWorkspaces(3)) as [string, string, string];
    await patch(ids[0], { description: 'w' });
    for (const id of ids.slice(0, 2)) await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    const id = await prepare({ action: 'update', parameters: { description: 'w' }, selection: { ids } });
    expect(attributesOf(await show(id))).toMatchObject({
      'preview-counts': { changed: 2, unchanged: 1, refused: 0, warned: 1 },
      'skip-warned': false,
    });
    const listed = async (query: string) =>
      (await itemsOf(id, query)).map(({ relationships: { workspace } }: Item) => workspace.data.id);
    expect(await listed('&filter[warned]=true')).toEqual([ids[1]]);
    expect(await listed('&filter[preview-outcome]=unchanged')).toEqual([ids[0]]);
    expect(await listed('&filter[warned]=false')).toEqual([ids[0], ids[2]]);
    expect(await listed('&filter[warned]=true&filter[outcome]=applied')).toEqual([]);
    expect((await api.request('GET', `/bulk-jobs/${id}/items?filter[warned]=x`, { token: owner })).status).toBe(400);
    expect((await apply(id, owner, { 'skip-warned': 'yes' })).status).toBe(422);
    expect(await run(id, owner, { 'skip-warned': true })).toMatchObject({
      status: 'complete',
      'outcome-counts': { applied: 1, unchanged: 1, skipped: 1, pending: 0 },
      'skip-warned': true,
      failure: null,
    });
    expect(await descriptionOf(ids[1])).toBeNull();
    expect(await outcomes(id)).toEqual(['unchanged', 'skipped', 'applied']);
  });

  it('is a conflict while another job of the organization is active', async () => {
    const ids = await createWorkspaces(2);
    const first = await prepare({ action: 'update', parameters: { description: '1' }, selection: { ids }, rate: 1 });
    const second = await prepare({ action: 'update', parameters: { description: '2' }, selection: { ids } });
    expect((await apply(first)).status).toBe(202);
    const rejected = await apply(second);
    expect(rejected).toMatchObject({ status: 409, body: { errors: [{ meta: { job: first } }] } });
    await api.lambda.runDeferred();
    expect((await apply(second)).status).toBe(202);
    await api.lambda.runDeferred();
    expect(await outcomes(second)).toEqual(['conflict', 'conflict']);
  });
});

describe('the end of a job', () => {
  it('comes when more items were refused than allowed, and the rest is skipped', async () => {
    const ids = await createWorkspaces(4);
    const id = await prepare({
      action: 'update',
      parameters: { 'agent-pool-id': 'apool-1234567890123456', 'execution-mode': 'agent' },
      selection: { ids },
      'max-failures': 1,
    });
    expect(attributesOf(await show(id))['preview-counts']).toMatchObject({ refused: 4 });
    expect(await run(id)).toMatchObject({
      status: 'failed',
      'outcome-counts': { refused: 2, skipped: 2, pending: 0 },
      failure: expect.stringContaining('More than 1'),
    });
  });

  it('comes after the slice that is under way when the job is canceled', async () => {
    const ids = await createWorkspaces(30);
    const id = await prepare({ action: 'update', parameters: { description: 'c' }, selection: { ids }, rate: 40 });
    expect((await apply(id)).status).toBe(202);
    const canceled = await api.request('POST', `/bulk-jobs/${id}/actions/cancel`, { token: owner });
    expect(attributesOf(canceled)['canceled-at']).not.toBeNull();
    await api.lambda.runDeferred();
    const { status, 'outcome-counts': counts } = attributesOf(await show(id)) as {
      status: string;
      'outcome-counts': Record<string, number>;
    };
    expect(status).toBe('canceled');
    expect(counts).toMatchObject({ pending: 0, skipped: 30 - Number(counts['applied']) });
    expect(Number(counts['applied'])).toBeLessThanOrEqual(25);
    const retried = await api.request('POST', `/bulk-jobs/${id}/actions/retry`, { token: owner });
    expect(retried.body.data.relationships['retry-of'].data).toEqual({ type: 'bulk-jobs', id });
    await api.lambda.runDeferred();
    const again = retried.body.data.id;
    expect(attributesOf(await show(again))).toMatchObject({ total: counts['skipped'] });
    expect(await run(again)).toMatchObject({ status: 'complete', 'outcome-counts': { applied: counts['skipped'] } });
    expect((await api.request('POST', `/bulk-jobs/${again}/actions/retry`, { token: owner })).status).toBe(409);
  });

  it('leaves a report with a line for each item, whose hash the job shows', async () => {
    const ids = await createWorkspaces(2);
    const id = await prepare({ action: 'update', parameters: { description: 'r' }, selection: { ids } });
    expect((await api.request('GET', `/bulk-jobs/${id}/report`, { token: owner })).status).toBe(404);
    const { report } = await run(id);
    const { headers } = await api.request('GET', `/bulk-jobs/${id}/report`, { token: owner });
    const text = await (await fetch(String(headers['location']))).text();
    expect(report).toEqual({ sha256: hash('sha256', text), bytes: text.length });
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(ids.map((workspace) => expect.objectContaining({ workspace, outcome: 'applied', preview: 'changed' })));
  });
});

describe('a request for a job', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ action: 'update', parameters: {} }, '/data/attributes/parameters'],
    [{ action: 'update', parameters: { name: 'x' } }, '/data/attributes/parameters/name'],
    [{ action: 'update', parameters: { 'auto-apply': 'yes' } }, '/data/attributes/parameters/auto-apply'],
    [{ action: 'move', parameters: {} }, '/data/attributes/parameters/project'],
    [{ action: 'add-tags', parameters: { tags: 'x' } }, '/data/attributes/parameters/tags'],
    [{ action: 'add-tags', parameters: { tags: ['ok', 7] } }, '/data/attributes/parameters/tags/1'],
    [{ action: 'add-tag-bindings', parameters: { 'tag-bindings': 'x' } }, '/data/attributes/parameters/tag-bindings'],
    [
      { action: 'add-tag-bindings', parameters: { 'tag-bindings': [{ key: 'a', value: 7 }] } },
      '/data/attributes/parameters/tag-bindings/0/value',
    ],
    [{ action: 'set-variable', parameters: { key: 'A', sensitive: true } }, '/data/attributes/parameters/sensitive'],
    [{ action: 'set-variable', parameters: { key: 'A', hcl: 1 } }, '/data/attributes/parameters/hcl'],
    [{ action: 'lock', parameters: { reason: 7 } }, '/data/attributes/parameters/reason'],
    [{ action: 'erase', parameters: {} }, '/data/attributes/action'],
    [{ action: 'unlock', rate: 0 }, '/data/attributes/rate'],
    [{ action: 'unlock', selection: {} }, '/data/attributes/selection'],
    [{ action: 'unlock', selection: { ids: ['ws-1'], filter: {} } }, '/data/attributes/selection'],
    [{ action: 'unlock', selection: { ids: ['ws-1'], except: ['ws-1'] } }, '/data/attributes/selection/except'],
    [{ action: 'unlock', selection: { ids: [] } }, '/data/attributes/selection/ids'],
    [
      { action: 'unlock', selection: { filter: { filter: { 'deletion-protection': 'x' } } } },
      '/data/attributes/selection/filter',
    ],
    [{ action: 'restore', selection: { filter: { search: { name: 'x' } } } }, '/data/attributes/selection/filter'],
  ];

  it.each(cases)('%j is rejected with the place of the mistake', async (attributes, pointer) => {
    const { status, body } = await create({ selection: { ids: ['ws-1'] }, ...attributes });
    expect({ status, source: body.errors?.[0].source }).toEqual({ status: 422, source: { pointer } });
  });

  it('is rejected for the token of a run, and unknown for everybody else outside', async () => {
    const { token } = await api.admin('create-organization', { name: `other-${++count}`, email: 'eve@example.com' });
    expect((await create({ action: 'unlock', selection: { ids: ['ws-1'] } }, token)).status).toBe(404);
  });
});

/** Sends the single request of a workspace as an owner, and returns its body. */
const send = async (method: string, path: string, body?: object) =>
  (await api.request(method, path, { token: owner, ...(body && { body }) })).body;
const shown = async (id: string) => (await send('GET', `/workspaces/${id}`)).data;

describe('the action', () => {
  it('add-tags adds tags, and remove-tags removes them, where they are not there or there', async () => {
    const [one, two] = (await createWorkspaces(2)) as [string, string];
    await send('POST', `/workspaces/${one}/relationships/tags`, {
      data: [{ type: 'tags', attributes: { name: 'live' } }],
    });
    const selection = { ids: [one, two] };
    const add = await prepare({ action: 'add-tags', parameters: { tags: ['live'] }, selection });
    expect(await run(add)).toMatchObject({ 'outcome-counts': { applied: 1, unchanged: 1 } });
    const remove = await prepare({ action: 'remove-tags', parameters: { tags: ['live'] }, selection });
    expect(await run(remove)).toMatchObject({ 'outcome-counts': { applied: 2 } });
    expect((await shown(one)).attributes['tag-names']).toEqual([]);
  });

  it('add-tag-bindings adds tags with and without a value, and changes the value of a key', async () => {
    const [one, two] = (await createWorkspaces(2)) as [string, string];
    const bind = async (bindings: object[]) =>
      run(
        await prepare({
          action: 'add-tag-bindings',
          parameters: { 'tag-bindings': bindings },
          selection: { ids: [one, two] },
        }),
      );
    expect(await bind([{ key: 'env', value: 'test' }])).toMatchObject({ 'outcome-counts': { applied: 2 } });
    expect(await bind([{ key: 'env', value: 'live' }, { key: 'core' }])).toMatchObject({
      'outcome-counts': { applied: 2 },
    });
    const { data } = await send('GET', `/workspaces/${two}/tag-bindings`);
    expect(data.map(({ attributes }: { attributes: { key: string; value: string } }) => attributes)).toMatchObject([
      { key: 'env', value: 'live' },
      { key: 'core', value: '' },
    ]);
  });

  it('lock locks, unlock and force-unlock unlock, but only the lock that the preview showed', async () => {
    const ids = (await createWorkspaces(3)) as [string, string, string];
    const lock = await prepare({ action: 'lock', parameters: { reason: 'freeze' }, selection: { ids } });
    await send('POST', `/workspaces/${ids[0]}/actions/lock`, { reason: 'mine' });
    await send('POST', `/workspaces/${ids[0]}/actions/unlock`);
    expect(await run(lock)).toMatchObject({ 'outcome-counts': { applied: 2, conflict: 1 } });
    const force = await prepare({ action: 'force-unlock', parameters: { reason: 'late' }, selection: { ids } });
    expect(attributesOf(await show(force))['preview-counts']).toMatchObject({ changed: 2, refused: 1 });
    await send('POST', `/workspaces/${ids[1]}/actions/unlock`);
    await send('POST', `/workspaces/${ids[1]}/actions/lock`);
    expect(await run(force)).toMatchObject({ 'outcome-counts': { applied: 1, conflict: 1, refused: 1 } });
    expect((await shown(ids[1])).attributes.locked).toBe(true);
    const unlock = await prepare({ action: 'unlock', parameters: {}, selection: { ids: [ids[1]] } });
    expect(attributesOf(await show(unlock))['preview-counts']).toMatchObject({ changed: 1, warned: 1 });
    expect(await run(unlock)).toMatchObject({ 'outcome-counts': { applied: 1 } });
  });

  it('set-variable creates or updates a variable, and delete-variable deletes it, as the preview found it', async () => {
    const ids = (await createWorkspaces(3)) as [string, string, string];
    const variable = (value: string) => ({
      data: { type: 'vars', attributes: { key: 'REGION', category: 'env', value } },
    });
    await send('POST', `/workspaces/${ids[1]}/vars`, variable('old'));
    const parameters = { key: 'REGION', category: 'env', value: 'new' };
    const set = await prepare({ action: 'set-variable', parameters, selection: { ids } });
    const items = await itemsOf(set);
    expect(items[1].attributes.changes).toEqual({ value: { old: 'old', new: 'new' } });
    await send('POST', `/workspaces/${ids[2]}/vars`, variable('theirs'));
    expect(await run(set)).toMatchObject({ 'outcome-counts': { applied: 2, conflict: 1 } });
    const values = async () =>
      Promise.all(ids.map(async (id) => (await send('GET', `/workspaces/${id}/vars`)).data[0]?.attributes.value));
    expect(await values()).toEqual(['new', 'new', 'theirs']);
    const drop = await prepare({
      action: 'delete-variable',
      parameters: { key: 'REGION', category: 'env' },
      selection: { ids },
    });
    expect(await run(drop)).toMatchObject({ 'outcome-counts': { applied: 3 } });
    expect(await values()).toEqual([undefined, undefined, undefined]);
  });

  it('set-variable leaves the value of a sensitive variable alone, and changes its description', async () => {
    const [id] = (await createWorkspaces(1)) as [string];
    const secret = { key: 'PASSWORD', category: 'env', value: 'old', sensitive: true };
    await send('POST', `/workspaces/${id}/vars`, { data: { type: 'vars', attributes: secret } });
    const named = { key: 'PASSWORD', category: 'env' };
    const selection = { ids: [id] };
    const set = await prepare({ action: 'set-variable', parameters: { ...named, value: 'new' }, selection });
    expect((await itemsOf(set))[0].attributes).toMatchObject({
      'preview-outcome': 'refused',
      error: { status: '422', source: { pointer: '/data/attributes/value' } },
    });
    const describe = await prepare({ action: 'set-variable', parameters: { ...named, description: 'd' }, selection });
    expect(await run(describe)).toMatchObject({ 'outcome-counts': { applied: 1 } });
  });

  it('assign-variable-set assigns a set to more workspaces than one write takes, and unassign-variable-set removes it', async () => {
    const ids = await createWorkspaces(30);
    const created = await send('POST', '/organizations/acme/varsets', {
      data: { type: 'varsets', attributes: { name: `set-${++count}` } },
    });
    const parameters = { 'variable-set': created.data.id };
    const assign = await prepare({ action: 'assign-variable-set', parameters, selection: { ids } });
    expect(await run(assign)).toMatchObject({ status: 'complete', 'outcome-counts': { applied: 30 } });
    const assigned = async () =>
      (await send('GET', `/varsets/${created.data.id}`)).data.relationships.workspaces.data.length;
    expect(await assigned()).toBe(30);
    const unassign = await prepare({ action: 'unassign-variable-set', parameters, selection: { ids } });
    await send('PATCH', `/varsets/${created.data.id}`, {
      data: { type: 'varsets', attributes: { description: 'other' } },
    });
    expect(await run(unassign)).toMatchObject({ 'outcome-counts': { conflict: 30 } });
    expect(await assigned()).toBe(30);
  });

  it('safe-delete deletes only with the lock and the state that the preview showed, and restore brings workspaces back', async () => {
    const [one, two] = (await createWorkspaces(2)) as [string, string];
    const selection = { ids: [one, two] };
    const remove = await prepare({ action: 'safe-delete', parameters: {}, selection });
    await send('POST', `/workspaces/${two}/actions/lock`);
    await send('POST', `/workspaces/${two}/actions/unlock`);
    expect(await run(remove)).toMatchObject({ 'outcome-counts': { applied: 1, conflict: 1 } });
    expect((await send('GET', `/workspaces/${one}`)).errors[0].status).toBe('404');
    const restore = await prepare({ action: 'restore', parameters: {}, selection: { filter: {} } });
    expect((await itemsOf(restore))[0].attributes['workspace-name']).toMatch(/^w-/);
    expect(await run(restore)).toMatchObject({ status: 'complete', 'outcome-counts': { applied: 1 } });
    expect((await shown(one)).id).toBe(one);
  });

  it('move moves workspaces to another project', async () => {
    const ids = await createWorkspaces(2);
    const project = await send('POST', '/organizations/acme/projects', {
      data: { type: 'projects', attributes: { name: `p-${++count}` } },
    });
    const parameters = { project: project.data.id };
    expect(await run(await prepare({ action: 'move', parameters, selection: { ids } }))).toMatchObject({
      'outcome-counts': { applied: 2 },
    });
    const filter = { filter: { project: { id: project.data.id } } };
    const protect = await prepare({
      action: 'update',
      parameters: { 'deletion-protection': true },
      selection: { filter },
    });
    expect(attributesOf(await show(protect))).toMatchObject({ total: 2, 'preview-counts': { changed: 2 } });
  });
});
