import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectLevels } from '../../../shared/domain/directory/grants.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Access of teams to projects over HTTP (docs/reference/teams.md). */
let api: Api;
let owner: string;
let project: string;

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  project = (await api.admin('create-project', { organization: 'acme', name: 'Platform' })).project.id;
});
afterAll(() => api.stop());

const send = (method: string, path: string, body?: object, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });
const document = (attributes: object, more: object = {}) => ({ data: { type: 'team-projects', attributes, ...more } });

let createdCount = 0;
const createTeam = async () =>
  (await api.admin('create-team', { organization: 'acme', name: `team-${++createdCount}` })).team.id;
const grantAccess = (team: string, attributes: object, to = project) =>
  send(
    'POST',
    '/team-projects',
    document(attributes, {
      relationships: { team: { data: { type: 'teams', id: team } }, project: { data: { type: 'projects', id: to } } },
    }),
  );
const listed = async () => (await send('GET', `/team-projects?filter[project][id]=${project}`)).body.data;
const expectConsistentTable = async () => expect((await api.admin('check-table')).findings).toEqual([]);

describe('access of a team to a project', () => {
  it.each(projectLevels)('is granted at the level %s, shown, listed, changed and revoked', async (level) => {
    const team = await createTeam();
    const { status, body } = await grantAccess(team, { access: level });
    expect(status, JSON.stringify(body)).toBe(201);
    const path = `/team-projects/${body.data.id}`;
    expect((await send('GET', path)).body).toEqual(body);
    expect(await listed()).toContainEqual(body.data);
    expect(body.data.relationships).toMatchObject({ team: { data: { id: team } }, project: { data: { id: project } } });

    const custom = await send(
      'PATCH',
      path,
      document({ access: 'custom', 'project-access': { settings: 'update' }, 'workspace-access': { runs: 'plan' } }),
    );
    const before = body.data.attributes;
    expect(custom.body.data.attributes).toMatchObject({
      access: 'custom',
      'project-access': { ...before['project-access'], settings: 'update' },
      'workspace-access': { ...before['workspace-access'], runs: 'plan' },
    });
    const kept = await send('PATCH', path, document({ 'workspace-access': { locking: true } }));
    expect(kept.body.data.attributes['workspace-access']).toMatchObject({ runs: 'plan', locking: true });
    expect((await send('PATCH', path, document({}, { id: 'tprj-x' }))).status).toBe(422);
    await expectConsistentTable();

    expect((await send('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) {
      expect(await send(method, path)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await listed()).map(({ id }: { id: string }) => id)).not.toContain(body.data.id);
    await expectConsistentTable();
  });

  it('includes the team and the project in lists and alone', async () => {
    const { body } = await grantAccess(await createTeam(), { access: 'read' });
    const { data, included } = (await send('GET', `/team-projects/${body.data.id}?include=team,project`)).body;
    expect(data).toEqual(body.data);
    const { team } = body.data.relationships;
    expect(included).toMatchObject([{ type: 'projects', id: project }, team.data]);
    const whole = (await send('GET', `/team-projects?filter[project][id]=${project}&include=team`)).body;
    expect(whole.included).toHaveLength(whole.data.length);
    expect(whole.included).toContainEqual(included[1]);
  });

  it('takes effect at once', async () => {
    const team = await createTeam();
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team });
    const show = () => send('GET', `/projects/${project}`, undefined, token);
    expect((await show()).status).toBe(404);
    const { body } = await grantAccess(team, { access: 'read' });
    expect((await show()).status).toBe(200);
    await send('DELETE', `/team-projects/${body.data.id}`);
    expect((await show()).status).toBe(404);
  });

  it('accepts single permissions only at the custom level', async () => {
    const rejected = await grantAccess(await createTeam(), { access: 'read', 'workspace-access': { runs: 'apply' } });
    expectInvalid(rejected, 'workspace-access/runs', /^Runs is read-only when access level is 'read'/);
    expectInvalid(await grantAccess(await createTeam(), { access: 'plan' }), 'access');
  });

  it('is granted once, and a concurrent second request returns 422', async () => {
    const team = await createTeam();
    const both = await Promise.all([grantAccess(team, { access: 'read' }), grantAccess(team, { access: 'admin' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    const access = (await listed()).find(
      (row: { relationships: { team: { data: { id: string } } } }) => row.relationships.team.data.id === team,
    );
    expect(access.attributes.access).toBe(both.find(({ status }) => status === 201)?.body.data.attributes.access);
    await expectConsistentTable();
  });

  it('is deleted with its team and with its project', async () => {
    const [leaving, staying] = [await createTeam(), await createTeam()];
    const first = await grantAccess(leaving, { access: 'read' });
    await send('DELETE', `/teams/${leaving}`);
    expect((await send('GET', `/team-projects/${first.body.data.id}`)).status).toBe(404);
    const other = (await api.admin('create-project', { organization: 'acme', name: 'Short' })).project.id;
    const second = await grantAccess(staying, { access: 'read' }, other);
    expect((await send('DELETE', `/projects/${other}`)).status).toBe(204);
    expect((await send('GET', `/team-projects/${second.body.data.id}`)).status).toBe(404);
    await expectConsistentTable();
  });

  it('returns the same 404 for unknown projects, and 404 for unknown teams', async () => {
    const team = await createTeam();
    for (const id of ['prj-1111111111111111', 'nothing', team]) {
      expect(await grantAccess(team, { access: 'read' }, id)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await grantAccess('team-1111111111111111', { access: 'read' })).status).toBe(404);
    expect((await send('GET', '/team-projects')).body.errors[0].source).toEqual({ parameter: 'filter[project][id]' });
  });
});

describe('GET /team-projects of one team', () => {
  const ofTeam = (query: string, token = owner) =>
    send('GET', `/team-projects?filter[team][id]=${query}`, undefined, token);
  const createProject = async (name: string): Promise<string> =>
    (await api.admin('create-project', { organization: 'acme', name })).project.id;

  it('returns its access to all projects by pages, sorted by the name of the project', async () => {
    const team = await createTeam();
    const projects = [await createProject('Beta'), await createProject('alpha'), await createProject('Gamma')];
    const granted = [];
    for (const id of projects) granted.push((await grantAccess(team, { access: 'write' }, id)).body.data);
    await grantAccess(await createTeam(), { access: 'read' }, projects[0]);
    const whole = (await ofTeam(team)).body;
    expect(whole.data).toEqual([granted[0], granted[2], granted[1]]);
    const second = (await ofTeam(`${team}&page[size]=2&page[number]=2`)).body;
    expect(second.data).toEqual([granted[1]]);
    expect(second.meta.pagination).toMatchObject({ 'total-pages': 2, 'total-count': 3 });
    await send('DELETE', `/team-projects/${granted[0].id}`);
    expect((await ofTeam(team)).body.data).toEqual([granted[2], granted[1]]);
  });

  it('returns its access to one project, with both filters', async () => {
    const [team, other] = [await createTeam(), await createTeam()];
    const { data } = (await grantAccess(team, { access: 'read' })).body;
    const both = async (of: string) =>
      (await send('GET', `/team-projects?filter[project][id]=${project}&filter[team][id]=${of}`)).body;
    expect(await both(team)).toMatchObject({ data: [data], meta: { pagination: { 'total-count': 1 } } });
    expect((await both(other)).data).toEqual([]);
  });

  it('includes the team and the projects', async () => {
    const team = await createTeam();
    const { data } = (await grantAccess(team, { access: 'read' })).body;
    const { included } = (await ofTeam(`${team}&include=team,project`)).body;
    expect(included).toMatchObject([data.relationships.project.data, data.relationships.team.data]);
  });

  it('leaves out projects that the caller cannot read, and is 404 for a team that the caller does not see', async () => {
    const [secret, visible] = [await createTeam(), await createTeam()];
    await send('PATCH', `/teams/${visible}`, {
      data: { type: 'teams', attributes: { visibility: 'organization' } },
    });
    const hidden = await createProject('Hidden');
    for (const id of [project, hidden]) {
      for (const team of [secret, visible]) await grantAccess(team, { access: 'read' }, id);
    }
    const { team } = await api.admin('create-team', { organization: 'acme', name: 'project-readers' });
    await grantAccess(team.id, { access: 'admin' });
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: team.id });
    expect((await ofTeam(visible)).body.data).toHaveLength(2);
    const { body } = await ofTeam(visible, token);
    expect(body).toMatchObject({
      data: [{ relationships: { project: { data: { id: project } } } }],
      meta: { pagination: { 'total-count': 1 } },
    });
    for (const id of [secret, 'team-1111111111111111', 'x']) {
      expect(await ofTeam(id, token), id).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });
});
