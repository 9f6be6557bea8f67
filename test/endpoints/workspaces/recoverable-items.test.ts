import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

/** Deleted workspaces as recoverable items over HTTP (docs/reference/deletion.md). */
let api: Api;
let owner: string;

beforeAll(async () => {
  api = await startApi({ deletedWorkspaceDays: 14 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

const send = (method: string, path: string, body?: object, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });
const createWorkspace = async (name: string): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name } } };
  return (await send('POST', '/organizations/acme/workspaces', body)).body.data.id;
};
const createDeleted = async (name: string): Promise<string> => {
  const id = await createWorkspace(name);
  expect((await send('DELETE', `/workspaces/${id}`)).status).toBe(204);
  await nextMillisecond();
  return id;
};
const list = (query = '', token = owner) =>
  send('GET', `/organizations/acme/recoverable-items${query}`, undefined, token);
const idsIn = ({ body }: ApiResponse): readonly string[] => body.data.map(({ id }: { id: string }) => id);
const act = (id: string, action: 'recover' | 'permanently-delete', token = owner) =>
  send('PUT', `/recoverable-items/${id}/actions/${action}`, undefined, token);

describe('recoverable items', () => {
  it('have the name, times, project and number of resources of a deleted workspace', async () => {
    const id = await createWorkspace('with-resources');
    await send('POST', `/workspaces/${id}/actions/lock`);
    await send('POST', `/workspaces/${id}/state-versions`, inlineStateVersionBody(buildState({ resources: 3 })));
    const { relationships } = (await send('GET', `/workspaces/${id}`)).body.data;
    await send('DELETE', `/workspaces/${id}`);
    const shown = (await send('GET', `/deleted-workspaces/${id}`)).body.data.attributes;
    const { data } = (await list()).body;
    expect(data).toMatchObject([
      {
        id,
        type: 'recoverable-items',
        attributes: {
          'recoverable-name': 'with-resources',
          'deleted-at': shown['deleted-at'],
          'expires-at': shown['restorable-until'],
          'permanently-deleted-at': null,
          'unmanaged-resources': 3,
        },
        relationships: {
          project: { data: relationships.project.data },
          recoverable: { data: { type: 'workspaces', id } },
        },
      },
    ]);
    await act(id, 'permanently-delete');
  });

  it('are paged, sorted and filtered by the time at which they expire and by type', async () => {
    const [first, second, third] = [
      await createDeleted('one'),
      await createDeleted('two'),
      await createDeleted('three'),
    ] as const;
    expect(idsIn(await list())).toEqual([third, second, first]);
    expect(idsIn(await list('?sort=expires_at'))).toEqual([first, second, third]);
    expect(idsIn(await list('?sort=-expires_at'))).toEqual([third, second, first]);
    const page = await list('?page[size]=2&page[number]=2');
    expect(idsIn(page)).toEqual([first]);
    expect(page.body.meta.pagination).toMatchObject({ 'total-pages': 2, 'total-count': 3 });
    const expiry = page.body.data[0].attributes['expires-at'];
    expect(idsIn(await list(`?filter[expires_after]=${expiry}`))).toEqual([third, second]);
    expect(idsIn(await list('?filter[recoverable_type]=workspaces'))).toHaveLength(3);
    expect(idsIn(await list('?filter[recoverable_type]=stacks'))).toEqual([]);
    for (const query of ['filter[expires_after]=soon', 'filter[recoverable_type]=teams', 'sort=name']) {
      const [parameter] = query.split('=');
      expect((await list(`?${query}`)).body.errors[0]).toMatchObject({ status: '400', source: { parameter } });
    }
    for (const id of [first, second, third]) await act(id, 'permanently-delete');
  });

  it('are recovered under their own name', async () => {
    const id = await createDeleted('kept');
    expect(await act(id, 'recover')).toMatchObject({ status: 204, body: undefined });
    expect((await send('GET', '/organizations/acme/workspaces/kept')).body.data.id).toBe(id);
    expect(idsIn(await list())).toEqual([]);
    expect(await act(id, 'recover')).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it('are not recovered while another workspace has the name', async () => {
    const id = await createDeleted('taken');
    await createWorkspace('taken');
    expect((await act(id, 'recover')).status).toBe(422);
    expect(idsIn(await list())).toEqual([id]);
    await act(id, 'permanently-delete');
  });

  it('are recovered once by a request that is repeated with its idempotency key', async () => {
    const id = await createDeleted('repeated');
    const recover = () =>
      api.request('PUT', `/recoverable-items/${id}/actions/recover`, {
        token: owner,
        headers: { 'idempotency-key': '"recover-once"' },
      });
    expect([(await recover()).status, (await recover()).status]).toEqual([204, 204]);
  });

  it('are deleted permanently by owners only', async () => {
    const id = await createDeleted('final');
    const { team } = await api.admin('create-team', {
      organization: 'acme',
      name: 'managers',
      permissions: 'manage-workspaces',
    });
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: team.id });
    expect(idsIn(await list('', token))).toEqual([id]);
    expect((await act(id, 'permanently-delete', token)).status).toBe(403);
    expect(await act(id, 'permanently-delete')).toMatchObject({ status: 204, body: undefined });
    expect(idsIn(await list())).toEqual([]);
    expect((await act(id, 'recover')).status).toBe(404);
  });
});
