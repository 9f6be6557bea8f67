import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectLevels } from '../../../shared/domain/directory/grants.ts';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/matrix/matrix-bench.ts';
import { NOT_FOUND } from '../../support/models/arbitraries-checks.ts';

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

const send = (method: string, path: string, body?: object, token = owner): Promise<Reply> =>
  api.request(method, path, { token, ...(body && { body }) });
const document = (attributes: object, more: object = {}) => ({ data: { type: 'team-projects', attributes, ...more } });

let made = 0;
const aTeam = async () => (await api.admin('create-team', { organization: 'acme', name: `team-${++made}` })).team.id;
const give = (team: string, attributes: object, to = project) =>
  send(
    'POST',
    '/team-projects',
    document(attributes, {
      relationships: { team: { data: { type: 'teams', id: team } }, project: { data: { type: 'projects', id: to } } },
    }),
  );
const listed = async () => (await send('GET', `/team-projects?filter[project][id]=${project}`)).body.data;
const isHealthy = async () => expect((await api.admin('check-table')).findings).toEqual([]);

describe('access to a project', () => {
  it.each(projectLevels)('is given as %s, shown, listed, changed and taken away', async (level) => {
    const team = await aTeam();
    const { status, body } = await give(team, { access: level });
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
    await isHealthy();

    expect((await send('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) {
      expect(await send(method, path)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await listed()).map(({ id }: { id: string }) => id)).not.toContain(body.data.id);
    await isHealthy();
  });

  it('is in force at once', async () => {
    const team = await aTeam();
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team });
    const show = () => send('GET', `/projects/${project}`, undefined, token);
    expect((await show()).status).toBe(404);
    const { body } = await give(team, { access: 'read' });
    expect((await show()).status).toBe(200);
    await send('DELETE', `/team-projects/${body.data.id}`);
    expect((await show()).status).toBe(404);
  });

  it('has parts of its own only where it is custom', async () => {
    const refused = await give(await aTeam(), { access: 'read', 'workspace-access': { runs: 'apply' } });
    expectInvalid(refused, 'workspace-access/runs', /^Runs is read-only when access level is 'read'/);
    expectInvalid(await give(await aTeam(), { access: 'plan' }), 'access');
  });

  it('is given once: a second time it is to be changed', async () => {
    const team = await aTeam();
    const both = await Promise.all([give(team, { access: 'read' }), give(team, { access: 'admin' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    const access = (await listed()).find(
      (row: { relationships: { team: { data: { id: string } } } }) => row.relationships.team.data.id === team,
    );
    expect(access.attributes.access).toBe(both.find(({ status }) => status === 201)?.body.data.attributes.access);
    await isHealthy();
  });

  it('goes with its team, and with its project', async () => {
    const [leaving, staying] = [await aTeam(), await aTeam()];
    const first = await give(leaving, { access: 'read' });
    await send('DELETE', `/teams/${leaving}`);
    expect((await send('GET', `/team-projects/${first.body.data.id}`)).status).toBe(404);
    const other = (await api.admin('create-project', { organization: 'acme', name: 'Short' })).project.id;
    const second = await give(staying, { access: 'read' }, other);
    expect((await send('DELETE', `/projects/${other}`)).status).toBe(204);
    expect((await send('GET', `/team-projects/${second.body.data.id}`)).status).toBe(404);
    await isHealthy();
  });

  it('is nothing for what is not there, in one form for all of it', async () => {
    const team = await aTeam();
    for (const id of ['prj-1111111111111111', 'nothing', team]) {
      expect(await give(team, { access: 'read' }, id)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await give('team-1111111111111111', { access: 'read' })).status).toBe(404);
    expect((await send('GET', '/team-projects')).body.errors[0].source).toEqual({ parameter: 'filter[project][id]' });
  });
});
