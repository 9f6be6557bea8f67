import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';

/** Changes with `If-Match` of organizations and of what belongs to them (docs/reference/edits.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let token: string;
let made = 0;

const organization = 'acme';
const base = `/organizations/${organization}`;
const send = (method: string, path: string, body?: object, tag?: string): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }), headers: tag === undefined ? {} : { 'if-match': tag } });
const tagOf = async (path: string): Promise<string> => String((await send('GET', path)).headers['etag']);
const create = async (path: string, type: string, attributes: object, relationships?: object): Promise<string> => {
  const body = { data: { type, attributes, ...(relationships && { relationships }) } };
  const created = await send('POST', path, body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body.data.id;
};
const named = (prefix: string): string => `${prefix}-${++made}`;
const related = (type: string, id: string) => ({ data: { type, id } });

/** A kind of resource: how it is created, its path, and attributes that differ with each number. */
interface Kind {
  readonly make: () => Promise<string>;
  readonly path: (id: string) => string;
  readonly type: string;
  readonly attributes: (number: number) => object;
}

const levels = ['read', 'write', 'maintain', 'admin'];
const newProject = () => create(`${base}/projects`, 'projects', { name: named('project') });
const newTeam = () => create(`${base}/teams`, 'teams', { name: named('team') });

const kinds: Readonly<Record<string, Kind>> = {
  organization: {
    make: async () => {
      const attributes = { email: `${named('reset')}@example.com` };
      await send('PATCH', base, { data: { type: 'organizations', attributes } });
      return organization;
    },
    path: (id) => `/organizations/${id}`,
    type: 'organizations',
    attributes: (number) => ({ email: `owner-${number}@example.com` }),
  },
  project: {
    make: newProject,
    path: (id) => `/projects/${id}`,
    type: 'projects',
    attributes: (number) => ({ description: `number ${number}` }),
  },
  team: {
    make: newTeam,
    path: (id) => `/teams/${id}`,
    type: 'teams',
    attributes: (number) => ({ 'sso-team-id': `number-${number}` }),
  },
  'agent pool': {
    make: () => create(`${base}/agent-pools`, 'agent-pools', { name: named('pool') }),
    path: (id) => `/agent-pools/${id}`,
    type: 'agent-pools',
    attributes: (number) => ({ name: `pool-number-${made}-${number}` }),
  },
  'variable set': {
    make: () => create(`${base}/varsets`, 'varsets', { name: named('set'), global: false }),
    path: (id) => `/varsets/${id}`,
    type: 'varsets',
    attributes: (number) => ({ description: `number ${number}` }),
  },
  "team's access to a project": {
    make: async () =>
      create(
        '/team-projects',
        'team-projects',
        { access: 'read' },
        {
          project: related('projects', await newProject()),
          team: related('teams', await newTeam()),
        },
      ),
    path: (id) => `/team-projects/${id}`,
    type: 'team-projects',
    attributes: (number) => ({ access: levels[number] }),
  },
};

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

describe.each(Object.entries(kinds))(
  'If-Match on the update of an object: %s',
  (_, { make, path, type, attributes }) => {
    const prepare = async () => {
      const at = path(await make());
      const update = (number: number, tag?: string) =>
        send('PATCH', at, { data: { type, attributes: attributes(number) } }, tag);
      return { at, update };
    };

    it('applies to one revision, which gets another entity tag', async () => {
      const { at, update } = await prepare();
      const first = await tagOf(at);
      const changed = await update(1, first);
      expect(changed.status, JSON.stringify(changed.body)).toBe(200);
      expect(changed.headers['etag']).not.toBe(first);
      expect(await tagOf(at)).toBe(changed.headers['etag']);
      const late = await update(2, first);
      expect([late.status, late.headers['etag']]).toEqual([412, changed.headers['etag']]);
      expect((await send('GET', at)).body.data.attributes).toMatchObject(attributes(1));
    });

    it('succeeds once when several requests have the same entity tag', async () => {
      const { at, update } = await prepare();
      const tag = await tagOf(at);
      const replies = await Promise.all([1, 2, 3].map((number) => update(number, tag)));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    });

    it('recognizes its own write when the response of the database was lost', async () => {
      const { at, update } = await prepare();
      const tag = await tagOf(at);
      proxy.loseNext(type === 'team-projects' ? 'TransactWriteItems' : 'UpdateItem');
      const changed = await update(1, tag);
      expect(changed.status, JSON.stringify(changed.body)).toBe(200);
      expect(await tagOf(at)).toBe(changed.headers['etag']);
    });
  },
);

describe('the entity tag of a record', () => {
  it('the entity tag of a project does not change with the access of teams, nor that of a team with its members', async () => {
    const [project, team] = [await newProject(), await newTeam()];
    const before = [await tagOf(`/projects/${project}`), await tagOf(`/teams/${team}`)];
    await create(
      '/team-projects',
      'team-projects',
      { access: 'read' },
      {
        project: related('projects', project),
        team: related('teams', team),
      },
    );
    const { user } = await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
    await api.admin('add-member', { organization, team, username: user.username });
    expect([await tagOf(`/projects/${project}`), await tagOf(`/teams/${team}`)]).toEqual(before);
  });

  it('of a variable set changes with its assignments, and not with its variables', async () => {
    const set = await create(`${base}/varsets`, 'varsets', { name: named('set'), global: false });
    const first = await tagOf(`/varsets/${set}`);
    await create(`/varsets/${set}/relationships/vars`, 'vars', { key: 'region', category: 'env' });
    expect(await tagOf(`/varsets/${set}`)).toBe(first);
    const project = await newProject();
    const body = { data: [{ type: 'projects', id: project }] };
    expect((await send('POST', `/varsets/${set}/relationships/projects`, body)).status).toBe(204);
    expect(await tagOf(`/varsets/${set}`)).not.toBe(first);
  });
});

describe('If-Match on the assignments in the update of a variable set', () => {
  it('is decided once for all steps of the request', async () => {
    const set = await create(`${base}/varsets`, 'varsets', { name: named('set'), global: false });
    const project = await newProject();
    const relationships = { projects: { data: [{ type: 'projects', id: project }] }, workspaces: { data: [] } };
    const replace = (attributes: object, tag: string): Promise<ApiResponse> =>
      send('PATCH', `/varsets/${set}`, { data: { type: 'varsets', attributes, relationships } }, tag);
    const first = await tagOf(`/varsets/${set}`);
    expect((await replace({}, '"0000000000000000"')).status).toBe(412);
    const changed = await replace({ description: 'both' }, first);
    expect([changed.status, changed.body.data.relationships.projects.data.length]).toEqual([200, 1]);
    expect((await replace({}, first)).status).toBe(412);
  });
});

describe('If-Match on a data retention policy', () => {
  const policy = (days: number) => ({
    data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } },
  });
  const newWorkspace = () => create(`${base}/workspaces`, 'workspaces', { name: named('workspace') });
  const theOrganization = async () => organization;

  it.each([
    ['of a workspace', newWorkspace, 'workspaces'],
    ['of an organization', theOrganization, 'organizations'],
  ] as const)('applies to the present rule: policy %s', async (_, make, type) => {
    const path = `/${type}/${await make()}/relationships/data-retention-policy`;
    expect((await send('PATCH', path, policy(1), '*')).status).toBe(412);
    const created = await send('POST', path, policy(7));
    expect(created.status).toBe(201);
    const first = String(created.headers['etag']);
    expect(await tagOf(path)).toBe(first);
    expect((await send('PATCH', path, policy(8), first)).status).toBe(200);
    expect((await send('POST', path, policy(9), first)).status).toBe(412);
    expect((await send('DELETE', path, undefined, first)).status).toBe(412);
    proxy.loseNext('UpdateItem');
    expect((await send('PATCH', path, policy(10), await tagOf(path))).status).toBe(200);
    expect((await send('DELETE', path, undefined, await tagOf(path))).status).toBe(204);
  });
});
