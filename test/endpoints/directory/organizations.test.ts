import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { expectRejection, NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Organizations over HTTP (docs/reference/organizations.md). */
let engine: TestEngine;
let api: Api;
let hosted: Api;
/** A deployment whose users may create organizations. */
let open: Api;
let site: string;
let owner: string;

beforeAll(async () => {
  engine = await startEngine();
  hosted = await startApi({ engine, edition: 'hosted' });
  open = await startApi({ engine, usersMayCreateOrganizations: true });
  api = await startApi({ engine });
  ({ token: site } = await api.admin('create-token', { kind: 'site' }));
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com', plan: 'plus' }));
});
afterAll(async () => {
  await api.stop();
  await engine.stop();
});

const document = (attributes: object, more: object = {}) => ({ data: { type: 'organizations', attributes, ...more } });
const create = (attributes: object, token = site) =>
  api.request('POST', '/organizations', { token, body: document(attributes) });
const show = (name: string, token = owner) => api.request('GET', `/organizations/${name}`, { token });
const update = (attributes: object, more: object = {}, on = api) =>
  on.request('PATCH', '/organizations/acme', { token: owner, body: document(attributes, more) });
const createToken = async (username: string): Promise<string> =>
  (await api.admin('create-token', { kind: 'user', username })).token;

describe('POST /organizations', () => {
  it('returns the organization as later reads show it, but without permissions of the caller', async () => {
    const requested = { name: 'umbrella', email: 'eve@example.com', 'allow-force-delete-workspaces': true };
    const created = await create({ ...requested, owner: 'eve' });
    expect(created.status).toBe(201);
    const { attributes, ...resource } = (await show('umbrella', await createToken('eve'))).body.data;
    expect(created.body.data).toMatchObject({ ...resource, attributes: { ...attributes, permissions: {} } });
    expect(Object.values(created.body.data.attributes.permissions)).not.toContain(true);
    expect(Object.values(attributes.permissions)).not.toContain(false);
    expect(attributes).toMatchObject({
      name: 'umbrella',
      'external-id': expect.stringMatching(/^org-\w{16}$/),
      email: 'eve@example.com',
      'default-execution-mode': 'remote',
      'allow-force-delete-workspaces': true,
    });
  });

  it('gives the site administrator no access to the organization', async () => {
    await create({ name: 'beyond', email: 'far@example.com' });
    for (const [method, path] of [
      ['GET', '/organizations/beyond'],
      ['GET', '/organizations/beyond/entitlement-set'],
      ['GET', '/organizations/beyond/workspaces'],
      ['PATCH', '/organizations/beyond'],
      ['POST', '/organizations/beyond/workspaces'],
    ] as const) {
      const body = document({ email: 'x@example.com' });
      const workspace = { data: { type: 'workspaces', attributes: { name: 'w' } } };
      const reply = await api.request(method, path, {
        token: site,
        ...(method !== 'GET' && { body: method === 'POST' ? workspace : body }),
      });
      expect(reply, path).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  it('makes the user named in owner the owner, and creates that user if necessary', async () => {
    expect((await create({ name: 'named', email: 'team@example.com', owner: 'ada' })).status).toBe(201);
    expect((await show('named')).status).toBe(200);
    expect((await create({ name: 'fresh', email: 'team@example.com', owner: 'grace' })).status).toBe(201);
    expect((await show('fresh', await createToken('grace'))).status).toBe(200);
  });

  it('lets the site token add the first owner of an organization without owners, and nobody after that', async () => {
    await create({ name: 'vacant', email: 'ada@example.com' });
    expect((await show('vacant')).status, 'the owner of the e-mail address').toBe(404);
    const add = (username: string) =>
      api.request('POST', '/organizations/vacant/organization-memberships', {
        token: site,
        body: { data: { type: 'organization-memberships', attributes: { username } } },
      });
    await api.admin('create-user', { username: 'second', email: 'second@example.com' });
    const responses = await Promise.all([add('ada'), add('second')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 404]);
    const first = responses[0]?.status === 201 ? 'ada' : 'second';
    const { body } = await show('vacant', await createToken(first));
    expect(body.data.attributes.permissions).toMatchObject({ 'can-destroy': true });
    expect(await add('eve')).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('lets the site token add no owner after the admin function has added one', async () => {
    await create({ name: 'administered', email: 'ada@example.com' });
    await api.admin('add-member', { organization: 'administered', team: 'owners', username: 'ada' });
    const reply = await api.request('POST', '/organizations/administered/organization-memberships', {
      token: site,
      body: { data: { type: 'organization-memberships', attributes: { email: 'eve@example.com' } } },
    });
    expect(reply.status).toBe(404);
  });

  it('makes a site administrator the owner, with the same token', async () => {
    await api.admin('create-user', { username: 'root', email: 'root@example.com' });
    const token = await createToken('root');
    const account = async () => (await api.request('GET', '/account/details', { token })).body.data.attributes;
    expect(await account()).toMatchObject({
      'is-site-admin': false,
      permissions: { 'can-create-organizations': false },
    });
    expect((await create({ name: 'roots', email: 'root@example.com' }, token)).status).toBe(404);
    const { user } = await api.admin('create-user', { username: 'root', email: 'root@example.com', siteAdmin: 'true' });
    expect(user).toMatchObject({ username: 'root', siteAdmin: true });
    expect(await account()).toMatchObject({ 'is-site-admin': true, permissions: { 'can-create-organizations': true } });

    const created = await create({ name: 'roots', email: 'someone@example.com' }, token);
    expect(created.status).toBe(201);
    expect((await show('roots', token)).body.data).toEqual(created.body.data);
    const workspace = { data: { type: 'workspaces', attributes: { name: 'first' } } };
    const more = await api.request('POST', '/organizations/roots/workspaces', { token, body: workspace });
    expect(more.status).toBe(201);
    expect((await show('acme', token)).status, 'an organization of others').toBe(404);
    await api.admin('update-user', { username: 'root', siteAdmin: false });
    expect((await create({ name: 'more', email: 'root@example.com' }, token)).status).toBe(404);
  });

  it('makes every user who creates an organization its owner, where the deployment allows it', async () => {
    await api.admin('create-user', { username: 'founder', email: 'founder@example.com' });
    const token = await createToken('founder');
    const { body } = await open.request('GET', '/account/details', { token });
    expect(body.data.attributes).toMatchObject({
      'is-site-admin': false,
      permissions: { 'can-create-organizations': true },
    });
    const attributes = { name: 'startup', email: 'founder@example.com' };
    const found = (more: object) =>
      open.request('POST', '/organizations', { token, body: document({ ...attributes, ...more }) });
    expectInvalid(await found({ owner: 'ada' }), 'owner', /site token/);
    expect((await found({})).status).toBe(201);
    expect((await show('startup', token)).body.data.attributes.permissions).toMatchObject({ 'can-destroy': true });
    expectInvalid(await found({}), 'name', /already been taken/);
  });

  it.each([
    [{ email: 'x@example.com' }, 'name', /can't be blank/],
    [{ name: 'x' }, 'email', /can't be blank/],
    [{ name: 'x y', email: 'x@example.com' }, 'name', /may only contain/],
    [{ name: 'x'.repeat(41), email: 'x@example.com' }, 'name', /maximum is 40/],
    [{ name: 'x', email: 'nobody' }, 'email', /invalid format/],
    [{ name: 'acme', email: 'x@example.com' }, 'name', /already been taken/],
    [{ name: 'x', email: 'x@example.com', 'default-execution-mode': 'agent' }, 'default-agent-pool-id', /must be spec/],
    [{ name: 'x', email: 'x@example.com', 'default-execution-mode': 'cloud' }, 'default-execution-mode', /must be one/],
    [{ name: 'x', email: 'x@example.com', 'assessments-enforced': true }, 'assessments-enforced', /self-hosted/],
  ])('returns 422 for %j with pointer %s and a detail matching %s', async (attributes, attribute, detail) => {
    expectInvalid(await create(attributes), attribute, detail);
    expect((await show('x')).status).toBe(404);
  });

  it('returns 404 to callers who are not site administrators, with the required role', async () => {
    const reply = await create({ name: 'own', email: 'x@example.com' }, owner);
    expectRejection(reply);
    expect(reply).toMatchObject({ status: 404, body: { errors: [{ detail: expect.stringMatching(/site admin/) }] } });
  });
});

describe('GET /organizations/:name', () => {
  it('returns the default project, the default agent pool and the links', async () => {
    const { body } = await show('acme');
    expect(body.data).toMatchObject({
      id: 'acme',
      type: 'organizations',
      relationships: {
        'default-project': { data: { type: 'projects', id: expect.stringMatching(/^prj-/) } },
        'default-agent-pool': { data: null },
        'entitlement-set': { links: { related: '/api/v2/organizations/acme/entitlement-set' } },
        'data-retention-policy': { data: null },
      },
      links: { self: '/api/v2/organizations/acme' },
    });
    expect(body.data.attributes).not.toHaveProperty('assessments-enforced');
  });

  it('includes the default project for callers who may read it', async () => {
    const path = '/organizations/acme?include=default_project';
    const { body } = await api.request('GET', path, { token: owner });
    const id = body.data.relationships['default-project'].data.id;
    expect(body.included).toMatchObject([{ type: 'projects', id, attributes: { name: 'Default Project' } }]);
    await api.admin('create-user', { username: 'guest', email: 'guest@example.com' });
    await api.admin('add-member', { organization: 'acme', username: 'guest' });
    const asGuest = await api.request('GET', path, { token: await createToken('guest') });
    expect(asGuest).toMatchObject({ status: 200, body: { included: [] } });
    expect((await api.request('GET', '/organizations/acme?include=owners', { token: owner })).status).toBe(400);
  });

  it('returns assessments instead of retention policies on the hosted edition', async () => {
    const { body } = await hosted.request('GET', '/organizations/acme', { token: owner });
    expect(body.data.attributes).toMatchObject({ 'assessments-enforced': false });
    expect(body.data.relationships).not.toHaveProperty('data-retention-policy');
  });

  it('lists the entitlements of the edition under /entitlement-set', async () => {
    const entitlements = async (on: Api) =>
      (await on.request('GET', '/organizations/acme/entitlement-set', { token: owner })).body.data;
    expect(await entitlements(api)).toMatchObject({
      id: (await show('acme')).body.data.attributes['external-id'],
      type: 'entitlement-sets',
      attributes: {
        operations: false,
        'state-storage': true,
        teams: true,
        'vcs-integrations': true,
        assessments: false,
      },
    });
    expect((await entitlements(hosted)).attributes.assessments).toBe(true);
  });
});

describe('PATCH /organizations/:name', () => {
  it('changes only the given attributes', async () => {
    const before = (await show('acme')).body.data;
    const { status, body } = await update({ name: 'acme', email: 'new@example.com', unknown: 1 }, { id: 'acme' });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, attributes: { ...before.attributes, email: 'new@example.com' } });
    expect((await show('acme')).body).toEqual(body);
    await update({ email: 'ada@example.com', 'allow-force-delete-workspaces': true });
    expect((await update({})).body.data.attributes).toMatchObject({
      email: 'ada@example.com',
      'allow-force-delete-workspaces': true,
    });
  });

  it('sets and clears the default agent pool as an attribute or as a relationship', async () => {
    const { agentPool } = await api.admin('create-agent-pool', { organization: 'acme', name: 'pool' });
    const related = (id: string | null) => ({
      relationships: { 'default-agent-pool': { data: id && { type: 'agent-pools', id } } },
    });
    const poolAfter = async (attributes: object, more?: object) => {
      const { status, body } = await update(attributes, more);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.data.relationships['default-agent-pool'].data?.id ?? null;
    };
    expectInvalid(await update({ 'default-execution-mode': 'agent' }), 'default-agent-pool-id', /must be specified/);
    expect(await poolAfter({ 'default-execution-mode': 'agent', 'default-agent-pool-id': agentPool.id })).toBe(
      agentPool.id,
    );
    expectInvalid(await update({ 'default-agent-pool-id': null }), 'default-agent-pool-id', /must be specified/);
    const { agentPool: other } = await api.admin('create-agent-pool', { organization: 'acme', name: 'other-pool' });
    expect(await poolAfter({}, related(other.id))).toBe(other.id);
    expect(await poolAfter({ 'default-execution-mode': 'remote' }, related(null))).toBe(null);
    expectInvalid(
      await update({ 'default-agent-pool-id': null }, related(agentPool.id)),
      'default-agent-pool-id',
      /differ/,
    );
  });

  it('drops the default agent pool when the default mode leaves agent, and rejects one in any other mode', async () => {
    const { agentPool } = await api.admin('create-agent-pool', { organization: 'acme', name: 'dropped' });
    for (const mode of ['remote', 'local']) {
      await update({ 'default-execution-mode': 'agent', 'default-agent-pool-id': agentPool.id });
      const { body } = await update({ 'default-execution-mode': mode });
      expect(body.data.relationships['default-agent-pool']).toEqual({ data: null });
      expectInvalid(await update({ 'default-agent-pool-id': agentPool.id }), 'default-agent-pool-id', /must not be/);
      const relationships = { 'default-agent-pool': { data: { type: 'agent-pools', id: agentPool.id } } };
      expect((await update({}, { relationships })).body.errors).toMatchObject([
        { status: '422', source: { pointer: '/data/relationships/default-agent-pool' } },
      ]);
      expect((await update({ 'default-agent-pool-id': '' })).status).toBe(200);
    }
  });

  it('returns the same 422 for a pool of another organization, an unknown pool and a pool name', async () => {
    await api.admin('create-organization', { name: 'other', email: 'other@example.com' });
    const { agentPool } = await api.admin('create-agent-pool', { organization: 'other', name: 'pool' });
    await api.admin('create-agent-pool', { organization: 'acme', name: 'by-name' });
    for (const more of [false, true]) {
      const replies = await Promise.all(
        [agentPool.id, 'apool-1111111111111111', 'by-name', 'x'].map((id) =>
          more
            ? update({}, { relationships: { 'default-agent-pool': { data: { type: 'agent-pools', id } } } })
            : update({ 'default-agent-pool-id': id }),
        ),
      );
      for (const reply of replies) expect(reply).toEqual(replies[0]);
      expect(replies[0]).toMatchObject({ status: 422 });
    }
  });

  it('returns 422 for another name and for the id of another organization', async () => {
    expectInvalid(await update({ name: 'acme2' }), 'name', /cannot be changed/);
    const reply = await update({ email: 'x@example.com' }, { id: 'other' });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ source: { pointer: '/data/id' } }] } });
    expect((await show('acme')).body.data.attributes.email).toBe('ada@example.com');
  });

  it('enforces assessments only on the hosted edition and in the Plus tier', async () => {
    expectInvalid(await update({ 'assessments-enforced': true }), 'assessments-enforced', /self-hosted/);
    const before = await show('acme');
    for (const value of [false, null])
      expect((await update({ 'assessments-enforced': value })).body).toEqual(before.body);
    const { body } = await update({ 'assessments-enforced': true }, {}, hosted);
    expect(body.data.attributes['assessments-enforced']).toBe(true);
    await api.admin('update-organization', { name: 'acme', plan: 'free' });
    expectInvalid(await update({ 'assessments-enforced': true }, {}, hosted), 'assessments-enforced', /Plus tier/);
    expect((await update({ 'assessments-enforced': null }, {}, hosted)).body.data.attributes).toMatchObject({
      'assessments-enforced': true,
    });
    expect((await update({ 'assessments-enforced': false }, {}, hosted)).body.data.attributes).toMatchObject({
      'assessments-enforced': false,
    });
  });
});

describe('PATCH /account/update', () => {
  const change = (token: string, attributes?: object, more: object = {}) =>
    api.request('PATCH', '/account/update', { token, body: { data: { type: 'users', attributes, ...more } } });
  const account = async (token: string) => (await api.request('GET', '/account/details', { token })).body;
  let token: string;
  beforeAll(async () => {
    await api.admin('create-user', { username: 'linus', email: 'linus@example.com' });
    token = await createToken('linus');
  });

  it('changes the username, also of the token that is presented', async () => {
    const before = await account(token);
    expect((await change(token)).body).toEqual(before);
    const reply = await change(token, { username: 'linus-2' });
    expect(reply).toMatchObject({ status: 200, body: { data: { attributes: { username: 'linus-2' } } } });
    expect(await account(token)).toEqual(reply.body);
    await change(token, { username: 'linus' });
    expect(await account(token)).toEqual(before);
  });

  it('keeps the e-mail address until an administrator confirms another one', async () => {
    const emails = async () => {
      const { email, 'unconfirmed-email': other } = (await account(token)).data.attributes;
      return [email, other];
    };
    await change(token, { email: 'torvalds@example.com' });
    expect(await emails()).toEqual(['linus@example.com', 'torvalds@example.com']);
    await change(token, { email: 'linus@example.com' });
    expect(await emails()).toEqual(['linus@example.com', null]);
    await change(token, { email: 'torvalds@example.com' });
    await api.admin('update-user', { username: 'linus', email: 'torvalds@example.com' });
    expect(await emails()).toEqual(['torvalds@example.com', null]);
  });

  it.each([
    [{ username: 'ada' }, 'username', /already been taken/],
    [{ username: 'a b' }, 'username', /format/],
    [{ email: 'nobody' }, 'email', /format/],
  ])('returns 422 for %j with pointer %s', async (attributes, attribute, detail) => {
    expectInvalid(await change(token, attributes), attribute, detail);
  });

  it('returns 422 for the id of another user, and 404 to callers without an account', async () => {
    expect((await change(token, {}, { id: 'user-1111111111111111' })).status).toBe(422);
    expect(await change(site, {})).toMatchObject({ status: 404, body: NOT_FOUND });
  });
});

/** Settings with their defaults, and another value of each. */
const settings = [
  ['allow-force-delete-workspaces', false, true],
  ['speculative-plan-management-enabled', true, false],
  ['send-passing-statuses-for-untriggered-speculative-plans', false, true],
  ['aggregated-commit-status-enabled', true, false],
  ['max-ttl-enabled', false, true],
  ['enforce-hyok', false, true],
  ['stacks-enabled', false, true],
  ['owners-team-saml-role-id', null, 'role'],
  ['collaborator-auth-policy', 'password', 'two_factor_mandatory'],
  ['cost-estimation-enabled', false, true],
  ['session-timeout', null, 3600],
  ['session-remember', null, 1],
  ['allowed-value-references', [], ['ssm:/production/']],
] as const;

describe('settings of an organization', () => {
  it('have the documented defaults and are returned as they were sent', async () => {
    const defaults = Object.fromEntries(settings.map(([name, value]) => [name, value]));
    const others = Object.fromEntries(settings.map(([name, , value]) => [name, value]));
    const made = await create({ name: 'plain', email: 'ada@example.com', owner: 'ada' });
    expect(made.body.data.attributes).toMatchObject({ ...defaults, 'user-tokens-enabled': true });
    const chosen = await create({ name: 'chosen', email: 'ada@example.com', owner: 'ada', ...others });
    expect(chosen.body.data.attributes).toMatchObject(others);
    expect((await update(others)).body.data.attributes).toMatchObject(others);
    expect((await update(defaults)).body.data.attributes).toMatchObject(defaults);
  });

  it.each([
    ['session-timeout', 0],
    ['session-timeout', 1e300],
    ['session-remember', 1.5],
    ['collaborator-auth-policy', 'none'],
    ['user-tokens-enabled', null],
  ])('returns 422 for %s = %j', async (name, value) => expectInvalid(await update({ [name]: value }), name));

  it('let the tokens of members get 401, and those of others 404, while the organization accepts no tokens of users', async () => {
    await create({ name: 'machines', email: 'ada@example.com', owner: 'ada' });
    const { team } = await api.admin('update-team', { organization: 'machines', name: 'owners' });
    const { body } = await api.request('POST', `/teams/${team.id}/authentication-token`, { token: owner });
    const machine = body.data.attributes.token;
    const enable = (isEnabled: boolean) =>
      api.request('PATCH', '/organizations/machines', {
        token: machine,
        body: document({ 'user-tokens-enabled': isEnabled }),
      });
    expect((await enable(false)).body.data.attributes['user-tokens-enabled']).toBe(false);
    const created = await api.request('POST', '/organizations/machines/workspaces', {
      token: machine,
      body: { data: { type: 'workspaces', attributes: { name: 'machine' } } },
    });
    const { id, relationships } = created.body.data;
    for (const path of [
      `/authentication-tokens/${body.data.id}`,
      '/organizations/machines',
      `/projects/${relationships.project.data.id}`,
      `/workspaces/${id}`,
      '/organizations/machines/workspaces/machine',
    ]) {
      expect((await api.request('GET', path, { token: owner })).status, path).toBe(401);
      expect((await api.request('GET', path, { token: machine })).status, path).toBe(200);
    }
    await api.admin('create-user', { username: 'outsider', email: 'out@example.com' });
    expect(await show('machines', await createToken('outsider'))).toMatchObject({ status: 404, body: NOT_FOUND });
    expect((await api.request('GET', '/organizations?q=machines', { token: owner })).body.data).toEqual([]);
    await enable(true);
    expect((await show('machines')).status).toBe(200);
  });
});

describe('GET /organizations', () => {
  it('returns the sorted list whole or in pages, and filters by name and e-mail address', async () => {
    const names: string[] = [];
    for (let index = 24; index > 0; index--) {
      names.unshift(`many-${String(index).padStart(2, '0')}`);
      await create({ name: names[0], email: `${index}@many.example`, owner: 'mary' });
    }
    const token = await createToken('mary');
    const list = async (query: string) => (await api.request('GET', `/organizations${query}`, { token })).body;
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

    const whole = await list('');
    expect(ids(whole)).toEqual(names);
    expect(whole.meta.pagination).toMatchObject({ 'current-page': 1, 'total-pages': 1, 'total-count': 24 });
    const second = await list('?page%5Bnumber%5D=2&page[size]=10');
    expect(ids(second)).toEqual(names.slice(10, 20));
    expect(second.meta.pagination).toMatchObject({ 'next-page': 3, 'total-pages': 3, 'total-count': 24 });
    expect(second.links.next).toContain('page%5Bnumber%5D=3');
    expect(ids(await list('?page[number]=2'))).toEqual(names.slice(20));
    expect(ids(await list('?q=ANY-1'))).toEqual(names.slice(9, 19));
    expect(ids(await list('?q=7%40many'))).toEqual(['many-07', 'many-17']);
    expect(ids(await list('?q[name]=ANY-07'))).toEqual(['many-07']);
    expect(ids(await list('?q[name]=example'))).toEqual([]);
    expect(ids(await list('?q[email]=7%40MANY'))).toEqual(['many-07', 'many-17']);
    expect(ids(await list('?q[email]=7%40many&q[name]=-1'))).toEqual(['many-17']);
    expect(await list('?page[size]=0')).toMatchObject({ errors: [{ status: '400' }] });
  });
});

describe('DELETE /organizations/:name', () => {
  it('returns 409 with the number of workspaces while there are any', async () => {
    const token = owner;
    const workspace = { data: { type: 'workspaces', attributes: { name: 'kept' } } };
    expect((await api.request('POST', '/organizations/acme/workspaces', { token, body: workspace })).status).toBe(201);
    const reply = await api.request('DELETE', '/organizations/acme', { token });
    expectRejection(reply);
    expect(reply).toMatchObject({ status: 409, body: { errors: [{ detail: expect.stringMatching(/1 workspace/) }] } });
    expect((await show('acme')).status).toBe(200);
  });

  it('takes effect at once, and keeps the name taken until everything is removed', async () => {
    await create({ name: 'short', email: 'ada@example.com', owner: 'ada' });
    const token = owner;
    expect(await api.request('DELETE', '/organizations/short', { token })).toMatchObject({
      status: 204,
      body: undefined,
    });
    for (const [method, path] of [
      ['GET', '/organizations/short'],
      ['DELETE', '/organizations/short'],
      ['GET', '/organizations/short/workspaces'],
    ] as const) {
      expect(await api.request(method, path, { token })).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    const { body } = await api.request('GET', '/organizations?q=short', { token });
    expect(body.data).toEqual([]);
    expectInvalid(await create({ name: 'short', email: 'ada@example.com' }), 'name', /^Name has already been taken$/);
    expect(await api.admin('check-table')).toMatchObject({ findings: [], closing: ['ORG#short ORG'] });
  });
});
