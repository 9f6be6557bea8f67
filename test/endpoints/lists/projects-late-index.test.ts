import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';

/** Project lists while the index that finds the projects lags behind the table. */
let engine: TestEngine;
let index: IndexProxy;
let api: Api;
let owner: string;
const organization = 'acme';

beforeAll(async () => {
  engine = await startEngine();
  index = await startIndexProxy(engine);
  api = await startApi({ engine, endpoint: index.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterEach(() => index.thaw());
afterAll(async () => {
  await api.stop();
  await index.stop();
  await engine.stop();
});

const list = async (token = owner): Promise<string[]> => {
  const { body } = await api.request('GET', `/organizations/${organization}/projects?q=late`, { token });
  expect(body.meta.pagination['total-count']).toBe(body.data.length);
  return body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name);
};
const createProject = async (name: string): Promise<string> =>
  (await api.admin('create-project', { organization, name })).project.id;

describe('GET /organizations/:name/projects while the index lags behind the table', () => {
  it('omits deleted and no longer readable projects, and shows new names', async () => {
    const ids = [await createProject('late one'), await createProject('late two'), await createProject('late three')];
    await api.admin('create-team', { organization, name: 'readers' });
    await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
    await api.admin('add-member', { organization, team: 'readers', username: 'grace' });
    for (const project of ids) {
      await api.admin('grant-access', { organization, team: 'readers', project, access: 'read' });
    }
    const { token } = await api.admin('create-token', { kind: 'user', username: 'grace' });
    expect(await list(token)).toEqual(['late one', 'late three', 'late two']);
    await index.freeze();
    await api.request('DELETE', `/projects/${ids[0]}`, { token: owner });
    await api.admin('update-project', { organization, name: 'late two', newName: 'late indeed' });
    await api.admin('revoke-access', { organization, team: 'readers', project: 'late three' });
    expect(await list()).toEqual(['late indeed', 'late three']);
    expect(await list(token)).toEqual(['late indeed']);
    index.thaw();
    expect(await list(token)).toEqual(['late indeed']);
    expect(await list()).toEqual(['late indeed', 'late three']);
  });
});
