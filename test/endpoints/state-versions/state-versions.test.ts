import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import {
  buildState,
  computeMd5,
  inlineStateVersionBody,
  LINEAGE,
  readUploadUrl,
  stateVersionBody,
  upload,
} from '../../support/api/states.ts';

/** State versions as clients use them, from upload to download (docs/reference/state-versions.md). */
let api: Api;
let token: string;
let user: string;

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  user = (await send('GET', '/account/details')).body.data.id;
});
afterAll(() => api.stop());

const send = (method: string, path: string, body?: object): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });

let createdCount = 0;
const create = async (): Promise<{ id: string; name: string; path: string }> => {
  const name = `w-${++createdCount}`;
  const body = { data: { type: 'workspaces', attributes: { name } } };
  const { id } = (await send('POST', '/organizations/acme/workspaces', body)).body.data;
  return { id, name, path: `/workspaces/${id}` };
};
const createLocked = async () => {
  const workspace = await create();
  expect((await send('POST', `${workspace.path}/actions/lock`)).status).toBe(200);
  return workspace;
};
const unlock = (path: string) => send('POST', `${path}/actions/unlock`);
const current = (path: string) => send('GET', `${path}/current-state-version`);
const bytesAt = async (location: string | undefined): Promise<Buffer> =>
  Buffer.from(await (await fetch(String(location))).arrayBuffer());

const outputs = {
  name: { value: 'web', type: 'string' },
  secret: { value: 's3cret', type: 'string', sensitive: true },
  ids: { value: [1, 2], type: ['list', 'number'] },
};

describe('state version of a client', () => {
  it('is created, uploaded, read and downloaded', async () => {
    const { id, path } = await createLocked();
    const content = buildState({ resources: 2, outputs });
    const created = await send(
      'POST',
      `${path}/state-versions`,
      stateVersionBody(content, { 'json-state-outputs': 'e30=' }),
    );
    expect(created.status).toBe(201);
    expect(created.headers).toMatchObject({ 'x-terraform-snapshot-interval': '60' });
    const { data } = created.body;
    expect(data).toMatchObject({
      id: expect.stringMatching(/^sv-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'state-versions',
      attributes: {
        serial: 1,
        md5: computeMd5(content),
        lineage: LINEAGE,
        status: 'pending',
        intermediate: false,
        'resources-processed': false,
        'hosted-state-download-url': null,
        'hosted-state-upload-url': expect.stringMatching(/^http/),
        'hosted-json-state-upload-url': expect.stringMatching(/^http/),
      },
      relationships: {
        workspace: { data: { type: 'workspaces', id } },
        'created-by': { data: { type: 'users', id: user } },
        run: { data: null },
      },
    });
    expect((await current(path)).status).toBe(404);
    const uploads = [
      upload(data.attributes['hosted-json-state-upload-url'], Buffer.from('{"format_version":"1.0"}')),
      upload(readUploadUrl(created), content),
    ];
    expect(await Promise.all(uploads)).toEqual([200, 200]);
    expect((await send('GET', `/state-versions/${data.id}`)).body.data.attributes).toMatchObject({
      status: 'pending',
      'hosted-state-upload-url': null,
    });
    // No event has been delivered, so the unlock reads the content itself.
    expect((await unlock(path)).status).toBe(200);
    await api.deliverUploads();

    const shown = await current(path);
    expect(shown.headers).toMatchObject({ 'x-terraform-snapshot-interval': '60' });
    expect(shown.body.data).toMatchObject({
      id: data.id,
      attributes: {
        status: 'finalized',
        size: content.length,
        'resource-count': 2,
        'resources-processed': true,
        'terraform-version': '1.11.4',
        'state-version': 4,
        'hosted-state-download-url': `http://holdfast.test/api/v2/state-versions/${data.id}/download`,
        'hosted-json-state-download-url': `http://holdfast.test/api/v2/state-versions/${data.id}/json-download`,
      },
    });
    const workspace = (await send('GET', path)).body.data;
    expect(workspace.attributes['resource-count']).toBe(2);
    expect(workspace.attributes['latest-change-at']).toBe(data.attributes['created-at']);
    expect(workspace.relationships['current-state-version'].data).toEqual({ type: 'state-versions', id: data.id });

    const download = await send('GET', `/state-versions/${data.id}/download`);
    expect(download.status).toBe(307);
    expect(download.body).toBeUndefined();
    expect(await bytesAt(download.headers['location'])).toEqual(content);
    const json = await send('GET', `/state-versions/${data.id}/json-download`);
    expect((await bytesAt(json.headers['location'])).toString()).toBe('{"format_version":"1.0"}');
  });

  it('is finalized at once when the request contains the state', async () => {
    const { path } = await createLocked();
    const content = buildState({ resources: 1 });
    const created = await send(
      'POST',
      `${path}/state-versions`,
      inlineStateVersionBody(content, { 'json-state': 'e30=' }),
    );
    expect(created.status).toBe(201);
    expect(created.body.data.attributes).toMatchObject({
      status: 'finalized',
      size: content.length,
      'hosted-state-upload-url': null,
      'hosted-state-download-url': expect.stringMatching(/^http:/),
      'hosted-json-state-download-url': expect.stringMatching(/^http:/),
    });
    expect((await current(path)).body.data.id).toBe(created.body.data.id);
    expect((await unlock(path)).status).toBe(200);
    expect((await current(path)).body.data.id).toBe(created.body.data.id);
  });

  it('becomes current only at the end of the lock when it is intermediate', async () => {
    const { path } = await createLocked();
    const snapshot = (serial: number) =>
      send(
        'POST',
        `${path}/state-versions`,
        inlineStateVersionBody(buildState({ serial }), { serial, intermediate: true }),
      );
    const [first, second] = [await snapshot(1), await snapshot(2)];
    expect(second.body.data.attributes).toMatchObject({ status: 'finalized', intermediate: true });
    expect((await current(path)).status).toBe(404);
    expect((await unlock(path)).status).toBe(200);
    expect((await current(path)).body.data.id).toBe(second.body.data.id);
    expect(first.body.data.id).not.toBe(second.body.data.id);
  });

  it('is current for the lock holder as soon as its content has been read', async () => {
    const { path } = await createLocked();
    const created = await send('POST', `${path}/state-versions`, stateVersionBody(buildState({ resources: 1 })));
    await upload(readUploadUrl(created), buildState({ resources: 1 }));
    await api.deliverUploads();
    expect((await current(path)).body.data.id).toBe(created.body.data.id);
    expect((await send('GET', path)).body.data.attributes).toMatchObject({ locked: true, 'resource-count': 1 });
  });
});

describe('outputs of a state version', () => {
  const withState = async (content: Buffer) => {
    const { path, name } = await createLocked();
    const { body } = await send('POST', `${path}/state-versions`, inlineStateVersionBody(content));
    await unlock(path);
    return { path, name, version: `/state-versions/${body.data.id}` };
  };

  it('are listed without sensitive values, which are returned one by one', async () => {
    const { path, version } = await withState(buildState({ outputs }));
    const listed = await send('GET', `${path}/current-state-version-outputs`);
    expect(
      listed.body.data.map(({ type, attributes }: { type: string; attributes: object }) => [type, attributes]),
    ).toEqual([
      [
        'state-version-outputs',
        { name: 'name', sensitive: false, type: 'string', 'detailed-type': 'string', value: 'web' },
      ],
      [
        'state-version-outputs',
        { name: 'secret', sensitive: true, type: 'string', 'detailed-type': 'string', value: null },
      ],
      [
        'state-version-outputs',
        { name: 'ids', sensitive: false, type: 'array', 'detailed-type': ['list', 'number'], value: [1, 2] },
      ],
    ]);
    expect((await send('GET', `${version}/outputs`)).body.data).toEqual(listed.body.data);
    const secret = listed.body.data[1];
    expect((await send('GET', `/state-version-outputs/${secret.id}`)).body.data.attributes.value).toBe('s3cret');
    expect((await send('GET', `${version}/outputs?page[size]=1&page[number]=2`)).body.data).toEqual([secret]);
  });

  it('are empty without a state and with an unreadable state', async () => {
    const { path } = await create();
    expect(await send('GET', `${path}/current-state-version-outputs`)).toMatchObject({
      status: 200,
      body: { data: [] },
    });
    const unreadable = await withState(Buffer.from('garbage'));
    expect((await send('GET', `${unreadable.path}/current-state-version-outputs`)).body.data).toEqual([]);
  });

  it('are paginated and included when there are thousands', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [
        `o${index}`,
        { value: computeMd5(Buffer.from(String(index))).repeat(8), type: 'string' },
      ]),
    );
    const { path, version } = await withState(buildState({ outputs: many }));
    const { body } = await send('GET', `${path}/current-state-version-outputs?page[size]=100&page[number]=30`);
    expect(body.meta.pagination['total-count']).toBe(3_000);
    expect(body.data[99].attributes).toMatchObject({ name: 'o2999', value: many['o2999']?.value });
    const one = await send('GET', `/state-version-outputs/${body.data[99].id}`);
    expect(one.body.data).toEqual(body.data[99]);
    expect((await send('GET', `${version}?include=outputs`)).body.included).toHaveLength(3_000);
  });

  it('return 422 when they are larger than the response size limit', async () => {
    const { path } = await createLocked();
    const large = { a: { value: 'x'.repeat(2_600_000) }, b: { value: ['y'.repeat(2_600_000)] } };
    const content = buildState({ outputs: large, resources: 1 });
    const created = await send('POST', `${path}/state-versions`, stateVersionBody(content));
    await upload(readUploadUrl(created), content);
    expect((await unlock(path)).status).toBe(200);
    expect((await current(path)).body.data.attributes).toMatchObject({ size: content.length, 'resource-count': 1 });
    expect((await send('GET', `${path}/current-state-version-outputs`)).status).toBe(422);
  });

  it('can be included with their state version, as can its creator', async () => {
    const { path, version } = await withState(buildState({ outputs }));
    const { body } = await send('GET', `${path}/current-state-version?include=outputs,created_by,run`);
    expect(body.data.relationships.outputs.data).toHaveLength(3);
    expect(body.included.map(({ type }: { type: string }) => type)).toEqual([
      'users',
      ...Array(3).fill('state-version-outputs'),
    ]);
    expect((await send('GET', `${version}?include=everything`)).status).toBe(400);
  });
});

describe('GET /state-versions', () => {
  it('returns all versions of a workspace, with the newest first', async () => {
    const { path, name } = await createLocked();
    const ids: string[] = [];
    for (const serial of [1, 2, 3]) {
      const content = buildState({ serial });
      ids.push(
        (await send('POST', `${path}/state-versions`, inlineStateVersionBody(content, { serial }))).body.data.id,
      );
    }
    const filters = `filter[organization][name]=acme&filter[workspace][name]=${name}`;
    const listed = await send('GET', `/state-versions?${filters}`);
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    const second = await send('GET', `/state-versions?${filters}&page[size]=2&page[number]=2`);
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
    expect(second.body.meta.pagination).toMatchObject({ 'total-count': 3, 'total-pages': 2 });
  });

  it.each(['', 'filter[organization][name]=acme', 'filter[workspace][name]=w-1'])(
    'returns 400 for the query %j, which does not have both filters',
    async (query) => {
      expect(await send('GET', `/state-versions?${query}`)).toMatchObject({ status: 400 });
    },
  );
});
