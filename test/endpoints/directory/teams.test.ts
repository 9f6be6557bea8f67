import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { teamPermissions } from '../../../shared/domain/directory/grants.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Teams over HTTP (docs/reference/teams.md). */
let api: Api;
let owner: string;

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  for (const username of ['grace', 'linus']) {
    await api.admin('create-user', { username, email: `${username}@example.com` });
    await invite(username);
  }
});
afterAll(() => api.stop());

const TEAMS = '/organizations/acme/teams';
const send = (method: string, path: string, body?: object, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });
const document = (attributes: object, more: object = {}) => ({ data: { type: 'teams', attributes, ...more } });
const invite = (username: string) =>
  send('POST', '/organizations/acme/organization-memberships', {
    data: { type: 'organization-memberships', attributes: { username } },
  });

let createdCount = 0;
const createTeam = async (attributes: object = {}) => {
  const { status, body } = await send('POST', TEAMS, document({ name: `team-${++createdCount}`, ...attributes }));
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
};
const users = (team: string, method: 'POST' | 'DELETE', ...ids: string[]) =>
  send(method, `/teams/${team}/relationships/users`, { data: ids.map((id) => ({ type: 'users', id })) });
const getMembers = async (team: string): Promise<readonly string[]> => {
  const { body } = await send('GET', `/teams/${team}?include=users`);
  expect(body.data.attributes['users-count']).toBe(body.included.length);
  return body.included.map(({ attributes }: { attributes: { username: string } }) => attributes.username).sort();
};

describe('team', () => {
  it('is returned in the same form by create, show and list', async () => {
    const team = await createTeam({ visibility: 'organization', 'organization-access': { 'read-workspaces': true } });
    expect((await send('GET', `/teams/${team.id}`)).body.data).toEqual(team);
    const listed = (await send('GET', `${TEAMS}?filter[names]=${team.attributes.name}`)).body;
    expect(listed.data).toEqual([team]);
    expect(team.attributes).toMatchObject({ visibility: 'organization', 'users-count': 0 });
    for (const name of teamPermissions) {
      expect(team.attributes['organization-access'][name], name).toBe(name === 'read-workspaces');
    }
  });

  it('is found by a part of its name and by several exact names', async () => {
    const [one, other] = [await createTeam({ name: 'Finders' }), await createTeam({ name: 'keepers' })];
    const ids = async (query: string) =>
      (await send('GET', `${TEAMS}?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('q=FINDER')).toEqual([one.id]);
    expect(await ids('filter[names]=Finders,keepers,nobody')).toEqual([one.id, other.id]);
    expect(await ids('filter[names]=finders')).toEqual([]);
  });

  it('keeps omitted permissions and attributes when it is updated', async () => {
    const { id, attributes } = await createTeam({ 'organization-access': { 'manage-teams': true } });
    const changed = await send(
      'PATCH',
      `/teams/${id}`,
      document({ 'organization-access': { 'manage-modules': true } }),
    );
    expect(changed.body.data.attributes).toEqual({
      ...attributes,
      'organization-access': { ...attributes['organization-access'], 'manage-modules': true },
    });
    const renamed = await send(
      'PATCH',
      `/teams/${id}`,
      document({ name: `renamed-${id}`, visibility: 'organization' }),
    );
    expect(renamed.body.data.attributes).toMatchObject({ name: `renamed-${id}`, visibility: 'organization' });
    const taken = await send('PATCH', `/teams/${id}`, document({ 'organization-access': { 'manage-teams': false } }));
    expect(taken.body.data.attributes['organization-access']).toMatchObject({
      'manage-teams': false,
      'manage-modules': true,
    });
    expect((await send('PATCH', `/teams/${id}`, document({}, { id: 'team-x' }))).status).toBe(422);
  });

  it('cannot have a permission without the permission that it requires', async () => {
    const access = (given: object) => document({ name: 'never', 'organization-access': given });
    const pointer = 'organization-access/manage-projects';
    expectInvalid(
      await send('POST', TEAMS, access({ 'manage-projects': true })),
      pointer,
      /requires manage-workspaces/,
    );
    const { id } = await createTeam({ 'organization-access': { 'read-projects': true, 'read-workspaces': true } });
    const rejected = await send(
      'PATCH',
      `/teams/${id}`,
      document({ 'organization-access': { 'read-workspaces': false } }),
    );
    expectInvalid(rejected, 'organization-access/read-projects', /requires read-workspaces/);
    const managing = { 'manage-workspaces': true, 'manage-projects': true, 'read-projects': true };
    expect((await createTeam({ 'organization-access': managing })).attributes['organization-access']).toMatchObject({
      ...managing,
      'read-workspaces': false,
    });
  });

  it('needs a unique, valid name', async () => {
    const { attributes } = await createTeam();
    expectInvalid(await send('POST', TEAMS, document({})), 'name', /can't be blank/);
    expectInvalid(await send('POST', TEAMS, document({ name: attributes.name })), 'name', /already been taken/);
    for (const name of [' ', 'ends with a space ', 'a.b', 'a#b']) {
      expectInvalid(await send('POST', TEAMS, document({ name })), 'name', /may only contain/);
    }
    const { id } = await createTeam({ name: 'Platform / two_words-1' });
    expect((await send('GET', `${TEAMS}?filter[names]=Platform%20/%20two_words-1`)).body.data).toMatchObject([{ id }]);
  });

  it('stores the id at the identity provider and the flag for token management', async () => {
    const { id, attributes } = await createTeam();
    expect(attributes).toMatchObject({ 'sso-team-id': null, 'allow-member-token-management': true });
    const given = { 'sso-team-id': 'idp-7', 'allow-member-token-management': false };
    expect((await send('PATCH', `/teams/${id}`, document(given))).body.data.attributes).toMatchObject(given);
    expect((await send('GET', `/teams/${id}`)).body.data.attributes).toMatchObject(given);
  });

  it('is not found before the attributes of an update are validated', async () => {
    const { id } = await createTeam();
    const invalid = document({ name: 7, visibility: 'sometimes' });
    expect(await send('PATCH', '/teams/team-1111111111111111', invalid)).toMatchObject({
      status: 404,
      body: NOT_FOUND,
    });
    expectInvalid(await send('PATCH', `/teams/${id}`, invalid), 'name');
    expect((await send('PATCH', `/teams/${id}`)).status).toBe(400);
  });

  it('is deleted at once, together with the permissions of its members', async () => {
    const team = await createTeam({ 'organization-access': { 'manage-workspaces': true } });
    await users(team.id, 'POST', 'grace');
    const { token } = await api.admin('create-token', { kind: 'user', username: 'grace' });
    const create = (name: string) =>
      send('POST', '/organizations/acme/workspaces', { data: { type: 'workspaces', attributes: { name } } }, token);
    expect((await create('while-it-is-there')).status).toBe(201);
    expect((await send('DELETE', `/teams/${team.id}`)).status).toBe(204);
    expect((await create('afterwards')).status).toBe(404);
    for (const method of ['GET', 'DELETE']) {
      expect(await send(method, `/teams/${team.id}`)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });
});

describe('deleted team', () => {
  it('leaves its name to the next team at once, which gets none of its permissions', async () => {
    const team = await createTeam({ 'organization-access': { 'manage-workspaces': true } });
    await users(team.id, 'POST', 'grace');
    expect((await send('DELETE', `/teams/${team.id}`)).status).toBe(204);
    const next = await createTeam({ name: team.attributes.name });
    expect(next.id).not.toBe(team.id);
    expect(next.attributes['organization-access']['manage-workspaces']).toBe(false);
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('keeps its lock, which an owner can force-unlock', async () => {
    const team = await createTeam({ 'organization-access': { 'manage-workspaces': true } });
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: team.id });
    const attributes = { name: `locked-by-${team.id}` };
    const made = await send('POST', '/organizations/acme/workspaces', { data: { type: 'workspaces', attributes } });
    const workspace = `/workspaces/${made.body.data.id}`;
    expect((await send('POST', `${workspace}/actions/lock`, undefined, token)).status).toBe(200);
    expect((await send('DELETE', `/teams/${team.id}`)).status).toBe(204);
    expect((await send('POST', `${workspace}/actions/unlock`, undefined, token)).status).toBe(404);
    expect((await send('GET', workspace)).body.data.attributes.locked).toBe(true);
    expect((await send('POST', `${workspace}/actions/force-unlock`)).body.data.attributes.locked).toBe(false);
  });
});

describe('owners team', () => {
  const owners = async () => (await send('GET', `${TEAMS}?filter[names]=owners`)).body.data[0];

  it('has all permissions, keeps its name and cannot be deleted', async () => {
    const { id, attributes } = await owners();
    expect(Object.values(attributes['organization-access'])).not.toContain(false);
    for (const attributes of [{ name: 'bosses' }, { 'organization-access': { 'manage-teams': false } }]) {
      expect((await send('PATCH', `/teams/${id}`, document(attributes))).status).toBe(422);
    }
    expect((await send('DELETE', `/teams/${id}`)).status).toBe(422);
    expect(await owners()).toMatchObject({ id, attributes: { name: 'owners' } });
  });

  it('always keeps at least one member', async () => {
    const { id } = await owners();
    expect((await users(id, 'DELETE', 'ada')).status).toBe(409);
    expect(await getMembers(id)).toEqual(['ada']);
  });
});

describe('members of a team', () => {
  it('are added and removed by username, idempotently', async () => {
    const { id } = await createTeam();
    for (let time = 0; time < 2; time++) {
      expect((await users(id, 'POST', 'grace', 'linus', 'grace')).status).toBe(204);
      expect(await getMembers(id)).toEqual(['grace', 'linus']);
    }
    for (let time = 0; time < 2; time++) {
      expect((await users(id, 'DELETE', 'grace')).status).toBe(204);
      expect(await getMembers(id)).toEqual(['linus']);
    }
    expect((await users(id, 'POST')).status).toBe(204);
  });

  it('are added and removed by organization membership', async () => {
    const { id } = await createTeam();
    const { body } = await send('GET', '/organizations/acme/organization-memberships?q=linus');
    const members = { data: [{ type: 'organization-memberships', id: body.data[0].id }] };
    const path = `/teams/${id}/relationships/organization-memberships`;
    expect((await send('POST', path, members)).status).toBe(204);
    expect(await getMembers(id)).toEqual(['linus']);
    expect((await send('DELETE', path, members)).status).toBe(204);
    expect(await getMembers(id)).toEqual([]);
  });

  it('must belong to the organization, otherwise the request adds nobody', async () => {
    const { id } = await createTeam();
    await api.admin('create-user', { username: 'stranger', email: 'stranger@example.com' });
    for (const unknown of ['stranger', 'nobody', 'user-1111111111111111', '__proto__']) {
      const rejected = await users(id, 'POST', 'grace', unknown);
      expect(rejected.status, unknown).toBe(422);
      expect(rejected.body.errors).toEqual([
        {
          status: '422',
          title: 'unprocessable entity',
          detail: 'User does not belong to this organization',
          source: { pointer: '/data/1/id' },
        },
      ]);
    }
    expect(await getMembers(id)).toEqual([]);
  });
});

describe('GET /teams/:id/relationships/organization-memberships', () => {
  const path = (team: string, query = '') => `/teams/${team}/relationships/organization-memberships${query}`;
  const usernames = ({ data }: ApiResponse['body']): readonly string[] =>
    data.map(({ attributes }: { attributes: { username: string } }) => attributes.username);
  const emails = ({ data }: ApiResponse['body']): readonly string[] =>
    data.map(({ attributes }: { attributes: { email: string } }) => attributes.email);

  it('lists the memberships of the members by pages, each as it is shown by its id', async () => {
    const { id } = await createTeam();
    await users(id, 'POST', 'grace', 'linus');
    const { body } = await send('GET', path(id));
    expect([...usernames(body)].sort()).toEqual(['grace', 'linus']);
    for (const membership of body.data) {
      expect((await send('GET', `/organization-memberships/${membership.id}`)).body.data).toEqual(membership);
    }
    const pages = await Promise.all(
      [1, 2, 3].map(async (number) => (await send('GET', path(id, `?page[number]=${number}&page[size]=1`))).body),
    );
    expect(pages.flatMap(({ data }) => data)).toEqual(body.data);
    expect(pages[1].meta.pagination).toMatchObject({ 'current-page': 2, 'total-pages': 2, 'total-count': 2 });
  });

  it('selects by status and by kind of user, and sorts by status', async () => {
    const { id } = await createTeam();
    await api.admin('create-user', { username: 'robot', email: 'robot@example.com', serviceAccount: true });
    await invite('robot');
    await users(id, 'POST', 'grace', 'robot');
    for (const name of ['nora', 'otto']) {
      await send('POST', '/organizations/acme/organization-memberships', {
        data: {
          type: 'organization-memberships',
          attributes: { email: `${name}@guests.example` },
          relationships: { teams: { data: [{ type: 'teams', id }] } },
        },
      });
    }
    const guests = ['nora@guests.example', 'otto@guests.example'];
    const list = async (query: string) => emails((await send('GET', path(id, query))).body);
    expect([...(await list('?filter[status]=invited'))].sort()).toEqual(guests);
    expect([...(await list('?filter[status]=active'))].sort()).toEqual(['grace@example.com', 'robot@example.com']);
    expect(await list('?filter[is_service_account]=true')).toEqual(['robot@example.com']);
    expect(await list('?filter[is_service_account]=false&filter[status]=active')).toEqual(['grace@example.com']);
    expect((await list('?sort=-status')).slice(0, 2).sort()).toEqual(guests);
    expect((await list('?sort=status')).slice(2).sort()).toEqual(guests);
    const second = (await send('GET', path(id, '?filter[status]=active&page[size]=1&page[number]=2'))).body;
    expect(second.meta.pagination['total-count']).toBe(2);
    expect(second.data).toHaveLength(1);
  });

  it.each(['filter[status]=inactive', 'filter[is_service_account]=maybe', 'sort=email'])(
    'rejects %s',
    async (query) => {
      const { id } = await createTeam();
      const [parameter] = query.split('=');
      expect(await send('GET', path(id, `?${query}`))).toMatchObject({
        status: 400,
        body: { errors: [{ source: { parameter } }] },
      });
    },
  );

  it('has only the own membership for a caller who does not manage memberships', async () => {
    const { id } = await createTeam({ visibility: 'organization' });
    await users(id, 'POST', 'grace', 'linus');
    const { token } = await api.admin('create-token', { kind: 'user', username: 'grace' });
    const { body } = await send('GET', path(id), undefined, token);
    expect(usernames(body)).toEqual(['grace']);
    expect(body.meta.pagination['total-count']).toBe(1);
  });
});

describe('includes of teams', () => {
  it('are the users and the memberships of the members', async () => {
    const { id } = await createTeam({ visibility: 'organization' });
    await users(id, 'POST', 'grace', 'linus');
    const both = (await send('GET', `/teams/${id}?include=users,organization-memberships`)).body;
    expect(both.included.map(({ type }: { type: string }) => type).sort()).toEqual([
      'organization-memberships',
      'organization-memberships',
      'users',
      'users',
    ]);
    const memberships = both.included.filter(({ type }: { type: string }) => type === 'organization-memberships');
    const identifiers = memberships.map(({ type, id: of }: { type: string; id: string }) => ({ type, id: of }));
    expect(both.data.relationships['organization-memberships'].data).toEqual(expect.arrayContaining(identifiers));
    const shown = await send('GET', `/organization-memberships/${memberships[0].id}`);
    expect(memberships[0]).toEqual(shown.body.data);
    const listed = (
      await send('GET', `${TEAMS}?filter[names]=${both.data.attributes.name}&include=organization_memberships`)
    ).body;
    expect(listed.included).toEqual(expect.arrayContaining(memberships));
    expect(listed.included).toHaveLength(2);
  });

  it('have only those memberships that the caller may see', async () => {
    const { id } = await createTeam({ visibility: 'organization' });
    await users(id, 'POST', 'grace', 'linus');
    const { token } = await api.admin('create-token', { kind: 'user', username: 'grace' });
    const { data, included } = (await send('GET', `/teams/${id}?include=organization_memberships`, undefined, token))
      .body;
    expect(included).toMatchObject([{ attributes: { username: 'grace' } }]);
    expect(data.relationships['organization-memberships'].data).toHaveLength(1);
    expect(data.relationships.users.data).toHaveLength(2);
  });
});
