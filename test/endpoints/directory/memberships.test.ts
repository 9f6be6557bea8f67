import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { expectRejection, NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Organization memberships over HTTP (docs/reference/organizations.md). */
let api: Api;
let owner: string;
const organization = 'acme';

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(() => api.stop());

const createTeam = async (name: string, more: object = {}): Promise<string> =>
  (await api.admin('create-team', { organization, name, ...more })).team.id;
const createUser = async (username: string, email = `${username}@example.com`): Promise<string> =>
  (await api.admin('create-user', { username, email })).user.id;
const createToken = async (username: string): Promise<string> =>
  (await api.admin('create-token', { kind: 'user', username })).token;

const invite = (attributes: object, teams: readonly string[] = [], token = owner) =>
  api.request('POST', `/organizations/${organization}/organization-memberships`, {
    token,
    body: {
      data: {
        type: 'organization-memberships',
        attributes,
        ...(teams.length > 0 && { relationships: { teams: { data: teams.map((id) => ({ type: 'teams', id })) } } }),
      },
    },
  });
const list = async (query = '', token = owner) =>
  (await api.request('GET', `/organizations/${organization}/organization-memberships${query}`, { token })).body;
const show = (id: string, token = owner) => api.request('GET', `/organization-memberships/${id}`, { token });
const remove = (id: string, token = owner) => api.request('DELETE', `/organization-memberships/${id}`, { token });
const usernames = ({ data }: { data: { attributes: { username: string } }[] }) =>
  data.map(({ attributes }) => attributes.username).sort();

describe('POST /organizations/:name/organization-memberships', () => {
  it('adds a user by username to the organization and to the given teams', async () => {
    const [grace, team] = [await createUser('grace'), await createTeam('builders')];
    const invited = await invite({ username: 'grace' }, [team, team]);
    expect(invited.status).toBe(201);
    expect(invited.body.data).toMatchObject({
      id: expect.stringMatching(/^ou-/),
      attributes: { status: 'active', username: 'grace', email: 'grace@example.com' },
      relationships: {
        organization: { data: { id: organization } },
        user: { data: { id: grace } },
        teams: { data: [{ type: 'teams', id: team }] },
      },
    });
    const token = owner;
    const shown = await api.request('GET', `/organization-memberships/${invited.body.data.id}?include=user`, { token });
    expect(shown.body).toEqual(invited.body);
    const own = await createToken('grace');
    expect((await api.request('GET', `/organizations/${organization}`, { token: own })).status).toBe(200);
  });

  it('adds a user without teams, who then has no permission except seeing the organization', async () => {
    await createUser('plain');
    await invite({ username: 'plain' });
    const token = await createToken('plain');
    const get = (path: string) => api.request('GET', path, { token });
    expect((await get(`/organizations/${organization}/workspaces`)).body.data).toEqual([]);
    expect((await get('/organizations')).body.data).toMatchObject([{ id: organization }]);
    const { permissions } = (await get(`/organizations/${organization}`)).body.data.attributes;
    expect(Object.entries(permissions).filter(([, may]) => may)).toEqual([['can-traverse', true]]);
  });

  it('lists the teams of a membership in the same order in every response, whatever the order of the request was', async () => {
    const teams = await Promise.all(['order-1', 'order-2', 'order-3'].map((name) => createTeam(name)));
    const teamsOf = ({ body }: ApiResponse) => body.data.relationships.teams.data.map(({ id }: { id: string }) => id);
    const orders = [teams, teams.toReversed()];
    for (const [index, order] of orders.entries()) {
      await createUser(`ordered-${index}`);
      const created = await invite({ username: `ordered-${index}` }, order);
      expect(teamsOf(created)).toEqual(teams.toSorted());
      const path = `/organization-memberships/${created.body.data.id}`;
      expect(teamsOf(await api.request('GET', path, { token: owner }))).toEqual(teamsOf(created));
    }
  });

  it('finds a user by e-mail address, ignoring case, or creates one', async () => {
    const knownUser = await createUser('known', 'Known.Person@example.com');
    expect((await invite({ email: 'known.person@EXAMPLE.com' })).body.data.relationships.user.data.id).toBe(knownUser);
    const created = await invite({ email: 'fresh.face@example.com' });
    expect(created.body.data.attributes).toMatchObject({ username: '', email: 'fresh.face@example.com' });
    const usernameOf = ({ body }: ApiResponse) => body.included[0].attributes.username;
    expect(usernameOf(created)).toBe('fresh-face');
    expect(usernameOf(await invite({ email: 'known@elsewhere.example' }))).toMatch(/^known-\w{4}$/);
    await createUser('twin-1', 'twins@example.com');
    await createUser('twin-2', 'twins@example.com');
    expectInvalid(await invite({ email: 'twins@example.com' }), 'email', /several users/);
  });

  it('invites an unknown e-mail address until its user is created, confirmed or given a token', async () => {
    const team = await createTeam('guests');
    const membership = async (name: string) => {
      const { body } = await invite({ email: `${name}@guests.example` }, [team]);
      expect(body.data.attributes).toMatchObject({ status: 'invited', username: '' });
      return async () => (await show(body.data.id)).body.data;
    };
    const created = await membership('first.guest');
    const same = await membership('second');
    const confirmed = await membership('third');
    const holder = await membership('fourth');
    const added = await createUser('visitor', 'First.Guest@guests.example');
    expect(await created()).toMatchObject({
      attributes: { status: 'active', username: 'visitor' },
      relationships: { user: { data: { id: added } }, teams: { data: [{ id: team }] } },
    });
    expect((await api.admin('create-user', { username: 'second', email: 'second@guests.example' })).created).toBe(true);
    await api.admin('update-user', { username: 'third', email: 'third@guests.example' });
    await createToken('fourth');
    for (const one of [same, confirmed, holder]) {
      expect((await one()).attributes).toMatchObject({ status: 'active', username: expect.stringMatching(/^\w+$/) });
    }
    expect((await list('?filter[status]=invited&q=guests.example')).data).toEqual([]);
    const freed = await api.admin('create-user', { username: 'first-guest', email: 'other@guests.example' });
    expect(freed.created).toBe(true);
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('finds a user by the new e-mail address after a change, and no longer by the old one', async () => {
    const user = await createUser('mover', 'old@example.com');
    await api.admin('update-user', { username: 'mover', email: 'new@example.com' });
    expect((await invite({ email: 'new@example.com' })).body.data.relationships.user.data.id).toBe(user);
    expect((await invite({ email: 'old@example.com' })).body.data.relationships.user.data.id).not.toBe(user);
  });

  it.each([
    [{}, 'email', /can't be blank/],
    [{ username: 'nobody-there' }, 'username', /does not exist/],
    [{ username: 'ada' }, 'username', /already/],
    [{ email: 'ada@example.com' }, 'email', /already/],
    [{ username: 'ada', email: 'ada@example.com' }, 'username', /both/],
    [{ username: 'a b' }, 'username', /format/],
    [{ email: 'nobody' }, 'email', /format/],
  ])('returns 422 for %j with pointer %s and a detail matching %s', async (attributes, attribute, detail) => {
    expectInvalid(await invite(attributes), attribute, detail);
  });

  it('returns the same 422 for unknown, foreign and hidden teams, and creates no user', async () => {
    await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' });
    const { team } = await api.admin('create-team', { organization: 'umbrella', name: 'theirs' });
    const manager = 'membership-manager';
    await createUser(manager);
    const managers = await createTeam('managers', { permissions: 'manage-membership' });
    await invite({ username: manager }, [managers]);
    const token = await createToken(manager);
    const secret = await createTeam('secret');
    const before = await list('?page[size]=100');
    const replies = await Promise.all(
      [team.id, secret, 'team-1111111111111111', 'builders', 'x'].map((id) =>
        invite({ email: 'never@example.com' }, [id], token),
      ),
    );
    for (const reply of replies) {
      expect(reply).toEqual(replies[0]);
      expect(reply).toMatchObject({
        status: 422,
        body: { errors: [{ source: { pointer: '/data/relationships/teams' } }] },
      });
    }
    expect(await list('?page[size]=100')).toEqual(before);
    const open = await createTeam('open', { visibility: 'organization' });
    expect((await invite({ email: 'ever@example.com' }, [open], token)).status).toBe(201);
  });
});

describe('GET /organizations/:name/organization-memberships', () => {
  it('is paginated and filtered by username, e-mail address and status', async () => {
    const { data, meta } = await list('?page[size]=2&page[number]=2');
    expect(data).toHaveLength(2);
    expect(meta.pagination).toMatchObject({ 'current-page': 2, 'page-size': 2 });
    expect(usernames(await list('?q=BUIL'))).toEqual([]);
    expect(usernames(await list('?q=GRACE'))).toEqual(['grace']);
    expect(usernames(await list('?filter[email]=grace@example.com,ADA@example.com,x@y.z'))).toEqual(['ada', 'grace']);
    expect(usernames(await list('?filter[status]=invited&q=fresh'))).toEqual(['']);
    // Nobody has chosen the username of an invited user, so a search does not find it.
    expect(usernames(await list('?q=fresh-face'))).toEqual([]);
    expect(usernames(await list('?filter[status]=active&q=fresh'))).toEqual([]);
    expect(usernames(await list('?filter[status]=invited&q=grace'))).toEqual([]);
    const ids = async (query: string) =>
      (await list(`?page[size]=100${query}`)).data.map(({ id }: { id: string }) => id);
    const [active, invited] = [await ids('&filter[status]=active'), await ids('&filter[status]=invited')];
    expect([...active, ...invited].sort()).toEqual((await ids('')).sort());
    expect(usernames(await list('?filter[status]=active&q=grace'))).toEqual(['grace']);
  });

  it('rejects an unknown status', async () => {
    const token = owner;
    const path = `/organizations/${organization}/organization-memberships`;
    const rejected = await api.request('GET', `${path}?filter[status]=gone`, { token });
    expectRejection(rejected);
    expect(rejected).toMatchObject({ status: 400, body: { errors: [{ source: { parameter: 'filter[status]' } }] } });
  });

  it('includes users and the teams that the caller sees, as a single membership does', async () => {
    const { data, included } = await list('?q=grace&include=user,teams');
    const [{ id, relationships }] = data;
    expect(included).toMatchObject([
      { type: 'users', id: relationships.user.data.id, attributes: { email: data[0].attributes.email } },
      { type: 'teams', id: relationships.teams.data[0].id },
    ]);
    const token = owner;
    const shown = await api.request('GET', `/organization-memberships/${id}?include=teams,user`, { token });
    expect(shown.body).toEqual({ data: data[0], included });
    const manager = await createToken('membership-manager');
    const seen = await list('?q=grace&include=teams', manager);
    expect(seen).toMatchObject({ data: [{ relationships: { teams: { data: [] } } }], included: [] });
  });

  it('shows a member only their own membership, and hides secret teams of others', async () => {
    const token = await createToken('grace');
    const { data } = await list('', token);
    expect(usernames({ data })).toEqual(['grace']);
    expect(data[0].relationships.teams.data).toHaveLength(1);
    const manager = await createToken('membership-manager');
    const [seen] = (await list('?q=grace', manager)).data;
    expect(seen.relationships.teams.data).toEqual([]);
    expect((await show(seen.id, token)).body.data.relationships.teams.data).toHaveLength(1);
    expect((await show(seen.id, manager)).body.data).toEqual(seen);
  });
});

describe('DELETE /organization-memberships/:id', () => {
  it('removes the user from all teams at once, and the user can be invited again without them', async () => {
    await createUser('short');
    const teams = [await createTeam('first'), await createTeam('second')];
    const { id } = (await invite({ username: 'short' }, teams)).body.data;
    const token = await createToken('short');
    expect((await remove(id)).status).toBe(204);
    for (const reply of [await show(id), await remove(id), await show(id, token)]) {
      expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(await api.request('GET', `/organizations/${organization}`, { token })).toMatchObject({ status: 404 });
    expect((await invite({ username: 'short' })).body.data.relationships.teams.data).toEqual([]);
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('removes a user from more teams than one transaction can hold', async () => {
    await createUser('busy');
    for (let index = 0; index < 60; index++) {
      await createTeam(`many-${index}`);
      await api.admin('add-member', { organization, team: `many-${index}`, username: 'busy' });
    }
    const [{ id, relationships }] = (await list('?q=busy')).data;
    expect(relationships.teams.data).toHaveLength(60);
    expect((await remove(id)).status).toBe(204);
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('returns 409 for the last owner, even if two owners are removed concurrently', async () => {
    const owners = (await api.admin('update-team', { organization, name: 'owners' })).team.id;
    const [ada] = (await list('?q=ada')).data;
    const rejected = await remove(ada.id);
    expectRejection(rejected);
    expect(rejected.status).toBe(409);
    await createUser('heir');
    const { id: heir } = (await invite({ username: 'heir' }, [owners])).body.data;
    const { token } = await api.admin('create-token', { kind: 'team', organization, team: 'owners' });
    const both = await Promise.all([remove(ada.id, token), remove(heir, token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
    await api.admin('add-member', { organization, team: 'owners', username: 'ada' });
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('leaves no team membership behind when the user is added to a team concurrently', async () => {
    const directory = openDirectoryWriter(api.engine.database, () => Date.now());
    for (let round = 0; round < 10; round++) {
      const username = `racer-${round}`;
      const user = await createUser(username);
      const team = await createTeam(`race-${round}`);
      await directory.members.join(serviceRequest('test'), organization, { username });
      await Promise.all([
        directory.members.leave(serviceRequest('test'), organization, user),
        directory.members.add(serviceRequest('test'), organization, team, username),
      ]);
    }
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });
});

describe('GET /users/:id', () => {
  it('is visible to members of a common organization, without the e-mail address', async () => {
    const id = await createUser('seen');
    await invite({ username: 'seen' });
    const [own, other] = [await createToken('seen'), await createToken('grace')];
    const account = await api.request('GET', '/account/details', { token: own });
    expect(account.body.data).toMatchObject({ id, attributes: { username: 'seen', email: 'seen@example.com' } });
    const shown = await api.request('GET', `/users/${id}`, { token: other });
    expect(shown.body.data).toMatchObject({ id, type: 'users', attributes: { username: 'seen' } });
    expect(JSON.stringify(shown.body)).not.toContain('example.com');
    await createUser('apart');
    const apart = await createToken('apart');
    expect(await api.request('GET', `/users/${id}`, { token: apart })).toMatchObject({ status: 404, body: NOT_FOUND });
  });
});

describe('GET /organization-memberships', () => {
  const own = async (token: string, query = '') =>
    (await api.request('GET', `/organization-memberships${query}`, { token })).body;

  it('lists the memberships of the caller in all organizations by name, each as it is shown by its id', async () => {
    const user = await createUser('traveler');
    const token = await createToken('traveler');
    expect((await own(token)).data).toEqual([]);
    const names = ['zz-travel', 'aa-travel', 'mm-travel'];
    const owners: string[] = [];
    for (const name of names) {
      const founded = await api.admin('create-organization', { name, email: `${name}@example.com` });
      owners.push(founded.token);
      const body = { data: { type: 'organization-memberships', attributes: { username: 'traveler' } } };
      await api.request('POST', `/organizations/${name}/organization-memberships`, { token: founded.token, body });
    }
    const whole = await own(token);
    const organizations = whole.data.map(
      ({ relationships }: { relationships: { organization: { data: { id: string } } } }) =>
        relationships.organization.data.id,
    );
    expect(organizations).toEqual(names.toSorted());
    for (const membership of whole.data) expect((await show(membership.id, token)).body.data).toEqual(membership);
    const second = await own(token, '?page[size]=2&page[number]=2&include=user');
    expect(second).toMatchObject({ data: [whole.data[2]], meta: { pagination: { 'total-count': 3 } } });
    expect(second.included).toMatchObject([{ type: 'users', id: user }]);
    expect((await own(token, '?include=user')).included).toHaveLength(1);
  });

  it('lists no memberships of the caller for tokens of teams, organizations and site administrators', async () => {
    const { team } = await api.admin('create-team', { organization, name: 'travel-agents' });
    const tokens = [
      await api.admin('create-token', { kind: 'team', organization, team: team.id }),
      await api.admin('create-token', { kind: 'organization', organization }),
      await api.admin('create-token', { kind: 'site' }),
    ];
    for (const { token } of tokens) expect((await own(token)).data).toEqual([]);
  });
});
