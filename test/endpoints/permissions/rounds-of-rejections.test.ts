import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prefixes } from '../../../shared/domain/ids.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { countRounds } from '../../support/engine/rounds.ts';
import { runToken } from '../../support/events/run-events.ts';
import { runId } from '../../support/models/run-model.ts';

/**
 * Rounds of rejections (PERM-21) that depend on more than the identifiers which `foreign-ids.test.ts` sends: on the content
 * of a hidden resource, on the token of a run, and on a setting.
 */
let api: Api;
const tokens: Record<string, string> = {};

const createWorkspace = async (organization: string, name: string, attributes: object = {}) => {
  const body = { data: { type: 'workspaces', attributes: { name, ...attributes } } };
  const path = `/organizations/${organization}/workspaces`;
  const created = await api.request('POST', path, { token: tokens[organization], body });
  expect(created.status).toBe(201);
  return { id: created.body.data.id as string, name };
};

beforeAll(async () => {
  api = await startApi({ auditRefusals: true });
  for (const name of ['acme', 'umbrella']) {
    const { token } = await api.admin('create-organization', { name, email: `${name}@example.com` });
    tokens[name] = token;
  }
});
afterAll(() => api.stop());

const absentId = (): string => prefixes.workspace + base58(16);

const countRejection = async (path: string, token: string | undefined) => {
  const { result, rounds } = await countRounds(() => api.request('GET', path, { token }));
  expect(result.status, path).toBe(404);
  return rounds;
};

describe('rounds of a rejection', () => {
  it('are the same for a run, whether the workspace is absent, foreign, or shares its state with others', async () => {
    const own = await createWorkspace('acme', 'own');
    const hidden = await createWorkspace('acme', 'hidden');
    const shared = await createWorkspace('acme', 'shared');
    const consumers = `/workspaces/${shared.id}/relationships/remote-state-consumers`;
    const body = { data: [{ type: 'workspaces', id: hidden.id }] };
    expect((await api.request('POST', consumers, { token: tokens['acme'], body })).status).toBe(204);
    const foreign = await createWorkspace('umbrella', 'foreign');
    const token = await runToken({ api, admin: api.admin } as never, own, runId(1));
    const expected = await countRejection(`/workspaces/${absentId()}`, token);
    for (const { id } of [hidden, shared, foreign]) {
      expect(await countRejection(`/workspaces/${id}`, token)).toEqual(expected);
    }
  });

  it('are the same for every list of a workspace, whatever the workspace contains', async () => {
    const empty = await createWorkspace('acme', 'empty');
    const filled = await createWorkspace('acme', 'filled');
    const token = tokens['acme'];
    for (const key of ['ONE', 'TWO']) {
      const body = { data: { type: 'vars', attributes: { key, category: 'env' } } };
      await api.request('POST', `/workspaces/${filled.id}/vars`, { token, body });
    }
    const workspaces = { data: [{ type: 'workspaces', id: filled.id }] };
    const set = { data: { type: 'varsets', attributes: { name: 'set' }, relationships: { workspaces } } };
    expect((await api.request('POST', '/organizations/acme/varsets', { token, body: set })).status).toBe(201);
    await runToken({ api, admin: api.admin } as never, filled, runId(2));
    const lists = [
      ...['', '/vars', '/all-vars', '/varsets', '/runs', '/runs?page[number]=9', '/history', '/current-state-version'],
      ...['/relationships/tags', '/relationships/remote-state-consumers'],
    ];
    for (const list of lists) {
      const expected = await countRejection(`/workspaces/${absentId()}${list}`, tokens['umbrella']);
      for (const { id } of [empty, filled]) {
        expect(await countRejection(`/workspaces/${id}${list}`, tokens['umbrella']), list).toEqual(expected);
      }
    }
  });

  it('are the same for a variable set with and without a project', async () => {
    const token = tokens['umbrella'];
    const create = async (name: string, relationships: object = {}): Promise<string> => {
      const body = { data: { type: 'varsets', attributes: { name }, relationships } };
      return (await api.request('POST', '/organizations/umbrella/varsets', { token, body })).body.data.id;
    };
    const projects = await api.request('GET', '/organizations/umbrella/projects', { token });
    const parent = { data: { type: 'projects', id: projects.body.data[0].id } };
    const expected = await countRejection(`/varsets/${prefixes.variableSet}${base58(16)}`, tokens['acme']);
    for (const id of [await create('organization'), await create('project', { parent })]) {
      expect(await countRejection(`/varsets/${id}`, tokens['acme'])).toEqual(expected);
    }
  });

  it('contain one write with the setting auditRefusals, also for what does not exist', async () => {
    const { id } = await createWorkspace('umbrella', 'audited');
    await api.admin('create-user', { username: 'ben', email: 'ben@example.com' });
    const { token } = await api.admin('create-token', { kind: 'user', username: 'ben' });
    const expected = await countRejection(`/workspaces/${absentId()}`, token);
    expect(expected.at(-1)).toEqual(['UpdateItem']);
    expect(await countRejection(`/workspaces/${id}`, token)).toEqual(expected);
  });
});
