import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  expectInvalid,
  ORGANIZATION,
  type OrganizationFixture,
  readAttributes,
} from '../../support/api/organization-fixture.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { readEvents } from '../../support/events/read-events.ts';
import { followHistory } from '../../support/history/history-follower.ts';

/** Workspaces that say where they were imported from (WS-50). */
let fixture: OrganizationFixture;
let history: Awaited<ReturnType<typeof followHistory>>;
let stream: Awaited<ReturnType<typeof followStream>>;

beforeAll(async () => {
  fixture = await createOrganizationFixture({ deletedWorkspaceDays: 14 });
  history = await followHistory(fixture.api);
  stream = await followStream(fixture.api.engine);
});
afterAll(() => fixture.api.stop());

const source = {
  host: 'app.terraform.io',
  organization: 'acme-old',
  id: 'ws-CvpbqPPtsWSnyrTk',
  name: 'network-old',
  'created-at': '2021-03-04T05:06:07.890Z',
  'created-by': 'ada',
};

const request = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  fixture.api.request(method, path, { token: fixture.owner, headers, ...(body && { body }) });

describe('imported-from of a workspace', () => {
  it('is shown by the creation, by reads and in lists', async () => {
    const created = await fixture.create({ name: 'shown', 'imported-from': source });
    expect(readAttributes(created)['imported-from']).toEqual(source);
    const { id } = created.body.data;
    expect((await fixture.show({ id, name: 'shown' }))['imported-from']).toEqual(source);
    const list = await request('GET', `/organizations/${ORGANIZATION}/workspaces?search[name]=shown`);
    expect(list.body.data[0].attributes['imported-from']).toEqual(source);
  });

  it('has null for each member that the creation does not give, and its time in UTC', async () => {
    const created = await fixture.create({
      'imported-from': { host: 'states', id: 'env:/prod/net', name: null, 'created-at': '2021-03-04T06:06:07+01:00' },
    });
    expect(readAttributes(created)['imported-from']).toEqual({
      host: 'states',
      organization: null,
      id: 'env:/prod/net',
      name: null,
      'created-at': '2021-03-04T05:06:07.000Z',
      'created-by': null,
    });
  });

  it('accepts the longest values', async () => {
    const longest = Object.fromEntries(
      ['host', 'organization', 'name', 'created-by'].map((member) => [member, '界'.repeat(255)]),
    );
    const from = { ...longest, id: '界'.repeat(1_024), 'created-at': source['created-at'] };
    expect(readAttributes(await fixture.create({ 'imported-from': from }))['imported-from']).toEqual(from);
  });

  it('never changes: an update may repeat its value, and any other value is rejected', async () => {
    const workspace = await fixture.createWorkspace({ 'imported-from': source });
    const { organization: _, ...shorter } = source;
    for (const other of [null, { ...source, id: 'ws-other' }, shorter]) {
      expectInvalid(await fixture.update(workspace, { 'imported-from': other }), 'imported-from', /never changes/);
    }
    const repeated = await fixture.update(workspace, { 'imported-from': source, 'auto-apply': true });
    expect(readAttributes(repeated)).toMatchObject({ 'auto-apply': true, 'imported-from': source });
    const plain = await fixture.createWorkspace();
    expect((await fixture.update(plain, { 'imported-from': null })).status).toBe(200);
    expectInvalid(await fixture.update(plain, { 'imported-from': source }), 'imported-from', /never changes/);
  });

  it('is found by its host and its id, also of the longest id, with exact totals', async () => {
    const longest = '世'.repeat(1_024);
    await fixture.createWorkspace({ name: 'found', 'imported-from': { host: 'bucket', id: longest } });
    await fixture.createWorkspace({ name: 'other', 'imported-from': { host: 'bucket', id: 'net' } });
    const find = async (query: string) => {
      const { body } = await request('GET', `/organizations/${ORGANIZATION}/workspaces?${query}`);
      const names = body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name);
      return [names, body.meta.pagination['total-count']];
    };
    expect(await find('filter[imported-from][host]=bucket')).toEqual([['found', 'other'], 2]);
    expect(await find(`filter[imported-from][id]=${encodeURIComponent(longest)}`)).toEqual([['found'], 1]);
    expect(await find('filter[imported-from][host]=bucket&filter[imported-from][id]=net')).toEqual([['other'], 1]);
    expect(await find('filter[imported-from][host]=app.terraform.io&filter[imported-from][id]=net')).toEqual([[], 0]);
    const tooLong = await request(
      'GET',
      `/organizations/${ORGANIZATION}/workspaces?filter[imported-from][id]=${'x'.repeat(1_025)}`,
    );
    expect(tooLong).toMatchObject({
      status: 400,
      body: { errors: [{ source: { parameter: 'filter[imported-from][id]' } }] },
    });
  });

  it('is found after the name, the settings and the project have changed, and after a restoration', async () => {
    const { id, name } = await fixture.createWorkspace({ 'imported-from': { host: 'files', id: 'kept' } });
    await fixture.update({ id, name }, { name: 'renamed', 'infra-version': '1.9.8', 'execution-mode': 'local' });
    const list = () => request('GET', `/organizations/${ORGANIZATION}/workspaces?filter[imported-from][id]=kept`);
    expect((await list()).body.data).toMatchObject([{ id }]);
    await request('POST', `/workspaces/${id}/actions/safe-delete`);
    expect((await list()).body.data).toEqual([]);
    await request('POST', `/deleted-workspaces/${id}/actions/restore`);
    expect((await list()).body.data).toMatchObject([{ id }]);
    expect((await fixture.api.admin('check-table')).findings).toEqual([]);
  });

  it('is part of the entry and the event of the creation', async () => {
    const { id } = await fixture.createWorkspace({ 'imported-from': source });
    const [entry] = await history.read(id, fixture.owner);
    expect(entry?.attributes.changes.find(({ attribute }) => attribute === 'imported-from')).toEqual({
      attribute: 'imported-from',
      old: null,
      new: source,
    });
    const events = await readEvents(stream);
    expect(events.find(({ workspace }) => workspace.id === id)).toMatchObject({
      type: 'workspace.created',
      importedFrom: {
        host: source.host,
        organization: source.organization,
        id: source.id,
        name: source.name,
        createdAt: source['created-at'],
        createdBy: source['created-by'],
      },
    });
  });

  it('is kept by a deletion and the restoration', async () => {
    const { id } = await fixture.createWorkspace({ 'imported-from': source });
    expect((await request('POST', `/workspaces/${id}/actions/safe-delete`)).status).toBe(204);
    const restored = await request('POST', `/deleted-workspaces/${id}/actions/restore`);
    expect(readAttributes(restored)['imported-from']).toEqual(source);
  });

  it('is the same in the response to a repeated creation', async () => {
    const body = { data: { type: 'workspaces', attributes: { name: 'repeated', 'imported-from': source } } };
    const create = () =>
      request('POST', `/organizations/${ORGANIZATION}/workspaces`, body, { 'idempotency-key': 'import-1' });
    const [first, second] = [await create(), await create()];
    expect(second.body.data).toEqual(first.body.data);
    const other = { data: { type: 'workspaces', attributes: { name: 'repeated', 'imported-from': null } } };
    const path = `/organizations/${ORGANIZATION}/workspaces`;
    expect((await request('POST', path, other, { 'idempotency-key': 'import-1' })).status).toBe(422);
  });
});
