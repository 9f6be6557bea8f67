import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import type { ApiResponse } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
} from '../../support/api/organization-fixture.ts';

/** The projects whose workspaces may use a VCS connection (VCS-5, VCS-6). */
const LIST = `/organizations/${ORGANIZATION}/oauth-clients`;
const CONNECTION = '/data/attributes/vcs-repo/oauth-token-id';
const OUT_OF_SCOPE = 'The project of the workspace does not have access to use this VCS connection';
const NO_PROJECT = 'Project does not exist in this organization';
let fixture: OrganizationFixture;
let allowed: string;
let other: string;

const send = (method: string, path: string, data?: unknown, token = fixture.owner): Promise<ApiResponse> =>
  fixture.api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
const projects = (...ids: readonly string[]) => ids.map((id) => ({ type: 'projects', id }));
const belongsTo = (id: string) => ({ project: { data: { type: 'projects', id } } });

let count = 0;
const createProject = async (): Promise<string> =>
  (await fixture.admin('create-project', { organization: ORGANIZATION, name: `Project ${++count}` })).project.id;
const creation = (attributes: object = {}, relationships: object = {}) =>
  send('POST', LIST, {
    type: 'oauth-clients',
    attributes: {
      name: `hub-${++count}`,
      'service-provider': 'github',
      'http-url': 'https://github.com',
      ...attributes,
    },
    relationships,
  });
const restricted = { 'organization-scoped': false };
const createClient = async (...parameters: Parameters<typeof creation>) => {
  const reply = await creation(...parameters);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.data;
};
const projectsOf = async (client: string): Promise<string[]> =>
  (await send('GET', `/oauth-clients/${client}`)).body.data.relationships.projects.data.map(
    ({ id }: { id: string }) => id,
  );
const related = (method: 'POST' | 'DELETE', client: string, ...ids: readonly string[]) =>
  send(method, `/oauth-clients/${client}/relationships/projects`, projects(...ids));
const repository = (client: string) => ({
  'vcs-repo': { identifier: 'acme/infra', 'oauth-token-id': client.replace('oc-', 'ot-') },
});
const projectOf = async (workspace: string): Promise<string> =>
  (await send('GET', `/workspaces/${workspace}`)).body.data.relationships.project.data.id;

/** Asserts that a response is a 422 with this pointer and detail. */
const expectRejectedAt = (reply: ApiResponse, pointer: string, detail: string): void => {
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ detail, source: { pointer } }] } });
};

beforeAll(async () => {
  fixture = await createOrganizationFixture({ deletedWorkspaceDays: 14 });
  [allowed, other] = [await createProject(), await createProject()];
});
afterAll(async () => {
  expect((await fixture.admin('check-table', {})).findings).toEqual([]);
  await fixture.api.stop();
});

describe('the projects of a VCS connection', () => {
  it('creates a VCS connection without projects that the whole organization may use by default', async () => {
    const client = await createClient();
    expect(client).toMatchObject({
      attributes: { 'organization-scoped': true },
      relationships: { projects: { data: [] } },
    });
    expect((await fixture.create(repository(client.id), belongsTo(other))).status).toBe(201);
  });

  it('are stored at creation, replaced by an update, and returned by later reads and in lists', async () => {
    const client = await createClient(restricted, { projects: { data: projects(allowed, allowed) } });
    const expected = (...ids: string[]) => ({
      id: client.id,
      attributes: restricted,
      relationships: { projects: { data: projects(...ids) } },
    });
    expect(client).toMatchObject(expected(allowed));
    const update = async (relationships: object, attributes: object = {}) =>
      send('PATCH', `/oauth-clients/${client.id}`, { type: 'oauth-clients', attributes, relationships });
    const replaced = await update({ projects: { data: projects(other, allowed) } });
    expect(replaced.body.data).toMatchObject(expected(other, allowed));
    for (const unchanged of [{}, { projects: null }, { projects: { data: null } }]) {
      expect((await update(unchanged)).body.data).toMatchObject(expected(other, allowed));
    }
    expect((await send('GET', `/oauth-clients/${client.id}`)).body.data).toMatchObject(expected(other, allowed));
    const { data } = (await send('GET', `${LIST}?q=${client.attributes.name}`)).body;
    expect(data).toMatchObject([expected(other, allowed)]);
    expect((await update({ projects: { data: [] } }, { 'organization-scoped': true })).body.data).toMatchObject({
      attributes: { 'organization-scoped': true },
      relationships: { projects: { data: [] } },
    });
  });

  it('are added and removed by requests that can be repeated', async () => {
    const { id } = await createClient(restricted);
    for (const _ of [1, 2]) expect((await related('POST', id, allowed, other, allowed)).status).toBe(204);
    expect(await projectsOf(id)).toEqual([allowed, other]);
    for (const _ of [1, 2]) expect((await related('DELETE', id, allowed, 'prj-1111111111111111')).status).toBe(204);
    expect(await projectsOf(id)).toEqual([other]);
  });

  it('must belong to the organization, and a rejected request changes nothing', async () => {
    const { id } = await createClient(restricted, { projects: { data: projects(other) } });
    for (const unknown of ['prj-1111111111111111', 'x', id]) {
      const reply = await related('POST', id, allowed, unknown);
      expectRejectedAt(reply, '/data/1/id', NO_PROJECT);
      const pointer = '/data/relationships/projects/data/0/id';
      expectRejectedAt(await creation(restricted, { projects: { data: projects(unknown) } }), pointer, NO_PROJECT);
      const relationships = { projects: { data: projects(unknown) } };
      expectRejectedAt(
        await send('PATCH', `/oauth-clients/${id}`, { type: 'oauth-clients', relationships }),
        pointer,
        NO_PROJECT,
      );
    }
    expect(await projectsOf(id)).toEqual([other]);
  });

  it('are limited in number', async () => {
    const { id } = await createClient(restricted);
    const many = Array.from({ length: limits.vcsConnectionProjects + 1 }, () => allowed);
    expect((await related('POST', id, ...many)).status).toBe(422);
    expect((await related('POST', id, ...many.slice(1))).status).toBe(204);
  });

  it('stay in the list when they are deleted', async () => {
    const gone = await createProject();
    const { id } = await createClient(restricted, { projects: { data: projects(gone) } });
    expect((await send('DELETE', `/projects/${gone}`)).status).toBe(204);
    expect((await related('POST', id, gone, allowed)).status).toBe(204);
    expect(await projectsOf(id)).toEqual([gone, allowed]);
  });

  it('and its token are included on request', async () => {
    const client = await createClient(restricted, { projects: { data: projects(allowed) } });
    const typesOf = ({ body }: ApiResponse) =>
      body.included.map(({ type, id }: { type: string; id: string }) => [type, id]);
    const token = client.id.replace('oc-', 'ot-');
    const path = `/oauth-clients/${client.id}`;
    expect(typesOf(await send('GET', `${path}?include=projects`))).toEqual([['projects', allowed]]);
    expect(typesOf(await send('GET', `${path}?include=oauth_tokens`))).toEqual([['oauth-tokens', token]]);
    const listed = await send('GET', `${LIST}?include=oauth_tokens,projects&q=${client.attributes.name}`);
    expect(typesOf(listed)).toEqual([
      ['oauth-tokens', token],
      ['projects', allowed],
    ]);
    expect((await send('GET', `${path}?include=agent_pool`)).status).toBe(400);
  });
});

describe('a VCS connection of some projects', () => {
  it('is rejected for workspaces of other projects at creation and by an update', async () => {
    const { id } = await createClient(restricted, { projects: { data: projects(allowed) } });
    expectRejectedAt(await fixture.create(repository(id), belongsTo(other)), CONNECTION, OUT_OF_SCOPE);
    expect((await fixture.create(repository(id), belongsTo(allowed))).status).toBe(201);
    const workspace = await fixture.createWorkspace({}, belongsTo(other));
    expectRejectedAt(await fixture.update(workspace, repository(id)), CONNECTION, OUT_OF_SCOPE);
    expect((await related('POST', id, other)).status).toBe(204);
    expect((await fixture.update(workspace, repository(id))).status).toBe(200);
  });

  it('is kept by a workspace when the scope becomes narrower', async () => {
    const { id } = await createClient(restricted, { projects: { data: projects(allowed) } });
    const workspace = await fixture.createWorkspace(repository(id), belongsTo(allowed));
    expect((await related('DELETE', id, allowed)).status).toBe(204);
    expect((await fixture.update(workspace, { 'vcs-repo': { branch: 'next' } })).status).toBe(200);
    expectRejectedAt(await fixture.update(workspace, repository(id)), CONNECTION, OUT_OF_SCOPE);
  });

  it('keeps a workspace from moving to another project, by an update or by the project', async () => {
    const { id } = await createClient(restricted, { projects: { data: projects(allowed) } });
    const workspace = await fixture.createWorkspace(repository(id), belongsTo(allowed));
    const move = (attributes: object = {}, to = other) =>
      send('PATCH', `/workspaces/${workspace.id}`, { type: 'workspaces', attributes, relationships: belongsTo(to) });
    for (const attributes of [{}, { 'vcs-repo': {} }, { description: 'moved' }]) {
      expectRejectedAt(await move(attributes), '/data/relationships/project', OUT_OF_SCOPE);
    }
    for (const attributes of [{ 'vcs-repo': { branch: 'next' } }, repository(id)]) {
      expectRejectedAt(await move(attributes), CONNECTION, OUT_OF_SCOPE);
    }
    const plain = await fixture.createWorkspace({}, belongsTo(allowed));
    const data = [plain, workspace].map((one) => ({ type: 'workspaces', id: one.id }));
    const moved = await send('POST', `/projects/${other}/relationships/workspaces`, data);
    expectRejectedAt(moved, '/data/1/id', OUT_OF_SCOPE);
    expect([await projectOf(workspace.id), await projectOf(plain.id)]).toEqual([allowed, allowed]);

    expect((await move({ 'vcs-repo': null })).status).toBe(200);
    expect(await projectOf(workspace.id)).toBe(other);
    // The new project is what decides, also about a connection that the same request names.
    expect((await move(repository(id), allowed)).status).toBe(200);
  });

  it('is dropped when a deleted workspace is restored that may no longer use it', async () => {
    const { id } = await createClient(restricted, { projects: { data: projects(allowed) } });
    const workspace = await fixture.createWorkspace(repository(id), belongsTo(allowed));
    expect((await send('DELETE', `/workspaces/${workspace.id}`)).status).toBe(204);
    expect((await related('DELETE', id, allowed)).status).toBe(204);
    const restored = await send('POST', `/deleted-workspaces/${workspace.id}/actions/restore`);
    expect(restored.body).toMatchObject({
      data: { attributes: { 'vcs-repo': null } },
      meta: { dropped: [{ type: 'oauth-tokens', id: id.replace('oc-', 'ot-') }] },
    });
  });
});
