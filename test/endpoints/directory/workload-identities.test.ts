import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  expectInvalid,
  ORGANIZATION,
  type OrganizationFixture,
} from '../../support/api/organization-fixture.ts';

/** The rules of workload identities as a resource (WI-1 to WI-5); `sign-in/exchange.test.ts` tests what they allow. */
let fixture: OrganizationFixture;
let team: string;
let otherTeam: string;

const LIST = `/organizations/${ORGANIZATION}/workload-identities`;
const GITHUB = 'https://token.actions.githubusercontent.com';
const RULE = { issuer: 'https://issuer.example.com', conditions: [{ claim: '/sub', equals: ['network'] }] };

const send = (method: string, path: string, data?: object, token = fixture.owner) =>
  fixture.api.request(method, path, { token, ...(data && { body: { data } }) });

const post = (attributes: object, of = team) =>
  send('POST', LIST, {
    type: 'workload-identities',
    attributes,
    relationships: { team: { data: { type: 'teams', id: of } } },
  });

const create = async (attributes: object, of = team) => {
  const reply = await post(attributes, of);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.data;
};

const namesOf = async (query = '', token = fixture.owner): Promise<string[]> => {
  const reply = await send('GET', `${LIST}${query}`, undefined, token);
  return reply.body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name);
};

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  const createTeam = async (name: string): Promise<string> =>
    (await fixture.admin('create-team', { organization: ORGANIZATION, name })).team.id;
  team = await createTeam('builders');
  otherTeam = await createTeam('auditors');
});
afterAll(async () => {
  await fixture.api.stop();
});

describe('a workload identity', () => {
  it('shows what its creation set, with defaults for the rest', async () => {
    const created = await create({ name: 'defaults', ...RULE });
    expect(created).toMatchObject({
      type: 'workload-identities',
      attributes: { name: 'defaults', ...RULE, 'lifetime-minutes': 60, enabled: true },
      relationships: {
        organization: { data: { type: 'organizations', id: ORGANIZATION } },
        team: { data: { type: 'teams', id: team } },
      },
    });
    expect(created.attributes.audience).toMatch(/^https?:\/\/[^/]+$/);
    expect(created.relationships).not.toHaveProperty('projects');
    expect((await send('GET', `/workload-identities/${created.id}`)).body.data).toEqual(created);
  });

  it('keeps what an update omits, and its team', async () => {
    const { id, attributes } = await create({ name: 'updated', ...RULE, 'lifetime-minutes': 5 });
    const update = (data: object) =>
      send('PATCH', `/workload-identities/${id}`, { type: 'workload-identities', ...data });
    const conditions = [{ claim: '/ref', matches: 'refs/heads/*' }];
    const updated = await update({ attributes: { conditions, enabled: false } });
    expect(updated.body.data.attributes).toEqual({ ...attributes, conditions, enabled: false });
    expect(
      (await update({ relationships: { team: { data: { type: 'teams', id: otherTeam } } } })).body.errors,
    ).toMatchObject([{ status: '422', detail: 'Team cannot be changed. Create another workload identity' }]);
    expect((await send('GET', `/workload-identities/${id}`)).body.data).toEqual(updated.body.data);
  });

  it('is gone after its deletion, and its name is free', async () => {
    const { id } = await create({ name: 'deleted', ...RULE });
    expect((await post({ name: 'deleted', ...RULE })).status).toBe(422);
    expect((await send('DELETE', `/workload-identities/${id}`)).status).toBe(204);
    expect((await send('GET', `/workload-identities/${id}`)).status).toBe(404);
    await create({ name: 'deleted', ...RULE });
  });

  it.each<[string, object, string, RegExp]>([
    ['no name', { ...RULE }, 'name', /blank/],
    ['no issuer', { name: 'x', conditions: RULE.conditions }, 'issuer', /blank/],
    ['no condition', { name: 'x', issuer: RULE.issuer }, 'conditions', /./],
    ['an empty list of conditions', { name: 'x', ...RULE, conditions: [] }, 'conditions', /./],
    ['an issuer on a private address', { name: 'x', ...RULE, issuer: 'https://169.254.169.254' }, 'issuer', /./],
    ['an http issuer', { name: 'x', ...RULE, issuer: 'http://issuer.example.com' }, 'issuer', /./],
    ['GitHub without an id', { name: 'x', ...RULE, issuer: GITHUB }, 'conditions', /\/repository_owner_id/],
    ['a lifetime of four minutes', { name: 'x', ...RULE, 'lifetime-minutes': 4 }, 'lifetime-minutes', /./],
    ['a lifetime of 721 minutes', { name: 'x', ...RULE, 'lifetime-minutes': 721 }, 'lifetime-minutes', /./],
  ])('is not created with %s', async (_, attributes, member, detail) => {
    expectInvalid(await post(attributes), member, detail);
  });

  it('is not created for the owners, and not for a team of no organization', async () => {
    const { body } = await send('GET', `/organizations/${ORGANIZATION}/teams?filter[names]=owners`);
    for (const [of, detail] of [
      [body.data[0].id, /must not be the owners team/],
      ['team-2222222222222222', /does not exist in this organization/],
    ]) {
      const reply = await post({ name: 'x', ...RULE }, of);
      expect(reply.body.errors).toMatchObject([{ status: '422', detail: expect.stringMatching(detail) }]);
    }
  });
});

describe('the list of workload identities', () => {
  it('is sorted by name, finds a part of the name, and has pages', async () => {
    for (const name of ['list-c', 'list-a', 'list-b']) await create({ name, ...RULE });
    expect(await namesOf('?q=LIST-')).toEqual(['list-a', 'list-b', 'list-c']);
    const page = await send('GET', `${LIST}?q=list-&page[size]=2&page[number]=2`);
    expect(page.body.data).toHaveLength(1);
    expect(page.body.meta.pagination).toMatchObject({ 'current-page': 2, 'total-pages': 2, 'total-count': 3 });
  });

  it('exists for callers who manage the tokens of teams only', async () => {
    await create({ name: 'managed', ...RULE });
    const { team: managers } = await fixture.admin('create-team', {
      organization: ORGANIZATION,
      name: 'managers',
      permissions: ['manage-teams'],
    });
    const tokenOf = async (id: string): Promise<string> =>
      (await send('POST', `/teams/${id}/authentication-token`)).body.data.attributes.token;
    expect(await namesOf('', await tokenOf(managers.id))).toContain('managed');
    expect((await send('GET', LIST, undefined, await tokenOf(team))).status).toBe(404);
  });
});
