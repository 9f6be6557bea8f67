import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/matrix/matrix-bench.ts';
import { expectRefusal, NOT_FOUND } from '../../support/models/arbitraries-checks.ts';

/** Who belongs to an organization (docs/reference/organizations.md). */
let api: Api;
let owner: string;
const organization = 'acme';

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(() => api.stop());

const teamNamed = async (name: string, more: object = {}): Promise<string> =>
  (await api.admin('create-team', { organization, name, ...more })).team.id;
const userNamed = async (username: string, email = `${username}@example.com`): Promise<string> =>
  (await api.admin('create-user', { username, email })).user.id;
const tokenOf = async (username: string): Promise<string> =>
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

describe('an invitation', () => {
  it('by username has the user belong to the organization, and to the teams that it names', async () => {
    const [grace, team] = [await userNamed('grace'), await teamNamed('builders')];
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
    expect((await show(invited.body.data.id)).body).toEqual(invited.body);
    const token = await tokenOf('grace');
    expect((await api.request('GET', `/organizations/${organization}`, { token })).status).toBe(200);
  });

  it('without teams gives membership, and nothing else', async () => {
    await userNamed('plain');
    await invite({ username: 'plain' });
    const token = await tokenOf('plain');
    const get = (path: string) => api.request('GET', path, { token });
    expect((await get(`/organizations/${organization}/workspaces`)).body.data).toEqual([]);
    expect((await get('/organizations')).body.data).toMatchObject([{ id: organization }]);
    const { permissions } = (await get(`/organizations/${organization}`)).body.data.attributes;
    expect(Object.entries(permissions).filter(([, may]) => may)).toEqual([['can-traverse', true]]);
  });

  it('by e-mail address finds who has it in any case, and makes a user where nobody does', async () => {
    const known = await userNamed('known', 'Known.Person@example.com');
    expect((await invite({ email: 'known.person@EXAMPLE.com' })).body.data.relationships.user.data.id).toBe(known);
    const fresh = await invite({ email: 'fresh.face@example.com' });
    expect(fresh.body.data.attributes).toMatchObject({ username: 'fresh-face', email: 'fresh.face@example.com' });
    const called = await invite({ email: 'known@elsewhere.example' });
    expect(called.body.data.attributes.username).toMatch(/^known-\w{4}$/);
    await userNamed('twin-1', 'twins@example.com');
    await userNamed('twin-2', 'twins@example.com');
    expectInvalid(await invite({ email: 'twins@example.com' }), 'email', /several users/);
  });

  it('follows an e-mail address that changes', async () => {
    const user = await userNamed('mover', 'old@example.com');
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
  ])('is refused with %j', async (attributes, attribute, detail) => {
    expectInvalid(await invite(attributes), attribute, detail);
  });

  it('is refused for a team that is not there, whatever the reason, and nobody is made', async () => {
    await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' });
    const { team } = await api.admin('create-team', { organization: 'umbrella', name: 'theirs' });
    const manager = 'membership-manager';
    await userNamed(manager);
    const managers = await teamNamed('managers', { permissions: 'manage-membership' });
    await invite({ username: manager }, [managers]);
    const token = await tokenOf(manager);
    const secret = await teamNamed('secret');
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
    const open = await teamNamed('open', { visibility: 'organization' });
    expect((await invite({ email: 'ever@example.com' }, [open], token)).status).toBe(201);
  });
});

describe('a list', () => {
  it('has pages, and is narrowed by what is looked for', async () => {
    const { data, meta } = await list('?page[size]=2&page[number]=2');
    expect(data).toHaveLength(2);
    expect(meta.pagination).toMatchObject({ 'current-page': 2, 'page-size': 2 });
    expect(usernames(await list('?q=BUIL'))).toEqual([]);
    expect(usernames(await list('?q=GRACE'))).toEqual(['grace']);
    expect(usernames(await list('?filter[email]=grace@example.com,ADA@example.com,x@y.z'))).toEqual(['ada', 'grace']);
    expect((await list('?filter[status]=invited')).meta.pagination['total-count']).toBe(0);
    expect(usernames(await list('?filter[status]=active&q=grace'))).toEqual(['grace']);
  });

  it('shows a member only themselves, and of secret teams only their own', async () => {
    const token = await tokenOf('grace');
    const { data } = await list('', token);
    expect(usernames({ data })).toEqual(['grace']);
    expect(data[0].relationships.teams.data).toHaveLength(1);
    const manager = await tokenOf('membership-manager');
    const [seen] = (await list('?q=grace', manager)).data;
    expect(seen.relationships.teams.data).toEqual([]);
    expect((await show(seen.id, token)).body.data.relationships.teams.data).toHaveLength(1);
    expect((await show(seen.id, manager)).body.data).toEqual(seen);
  });
});

describe('removing', () => {
  it('ends every team at once, and can be undone by another invitation', async () => {
    await userNamed('short');
    const teams = [await teamNamed('first'), await teamNamed('second')];
    const { id } = (await invite({ username: 'short' }, teams)).body.data;
    const token = await tokenOf('short');
    expect((await remove(id)).status).toBe(204);
    for (const reply of [await show(id), await remove(id), await show(id, token)]) {
      expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(await api.request('GET', `/organizations/${organization}`, { token })).toMatchObject({ status: 404 });
    expect((await invite({ username: 'short' })).body.data.relationships.teams.data).toEqual([]);
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('takes a user out of more teams than one transaction can hold', async () => {
    await userNamed('busy');
    for (let index = 0; index < 60; index++) {
      await teamNamed(`many-${index}`);
      await api.admin('add-member', { organization, team: `many-${index}`, username: 'busy' });
    }
    const [{ id, relationships }] = (await list('?q=busy')).data;
    expect(relationships.teams.data).toHaveLength(60);
    expect((await remove(id)).status).toBe(204);
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('leaves the last owner, of two who go at once as well', async () => {
    const owners = (await api.admin('update-team', { organization, name: 'owners' })).team.id;
    const [ada] = (await list('?q=ada')).data;
    const refused = await remove(ada.id);
    expectRefusal(refused);
    expect(refused.status).toBe(409);
    await userNamed('heir');
    const { id: heir } = (await invite({ username: 'heir' }, [owners])).body.data;
    const { token: site } = await api.admin('create-token', { kind: 'organization', organization });
    const both = await Promise.all([remove(ada.id, site), remove(heir, site)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
    await api.admin('add-member', { organization, team: 'owners', username: 'ada' });
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('is not outrun by a team that the user is put into meanwhile', async () => {
    const directory = openDirectoryWriter(api.engine.database, () => Date.now());
    for (let round = 0; round < 10; round++) {
      const username = `racer-${round}`;
      const user = await userNamed(username);
      const team = await teamNamed(`race-${round}`);
      await directory.join(organization, { username });
      await Promise.all([directory.leave(organization, user), directory.addMember(organization, team, username)]);
    }
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });
});

describe('a user', () => {
  it('is shown to who is in an organization with them, and their e-mail address to themselves alone', async () => {
    const id = await userNamed('seen');
    await invite({ username: 'seen' });
    const [own, other] = [await tokenOf('seen'), await tokenOf('grace')];
    const account = await api.request('GET', '/account/details', { token: own });
    expect(account.body.data).toMatchObject({ id, attributes: { username: 'seen', email: 'seen@example.com' } });
    const shown = await api.request('GET', `/users/${id}`, { token: other });
    expect(shown.body.data).toMatchObject({ id, type: 'users', attributes: { username: 'seen' } });
    expect(JSON.stringify(shown.body)).not.toContain('example.com');
    await userNamed('apart');
    const apart = await tokenOf('apart');
    expect(await api.request('GET', `/users/${id}`, { token: apart })).toMatchObject({ status: 404, body: NOT_FOUND });
  });
});
