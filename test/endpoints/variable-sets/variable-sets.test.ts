import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';

/** Variable sets, their variables and their assignments over HTTP (docs/reference/variable-sets.md). */
let api: Api;
let owner: string;
let created = 0;

const send = (method: string, path: string, body?: unknown, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });
const newName = (): string => `set-${String(++created).padStart(4, '0')}`;
const setDocument = (attributes: object = {}, relationships?: object) => ({
  data: { type: 'varsets', attributes, ...(relationships && { relationships }) },
});
const variableDocument = (attributes: object) => ({ data: { type: 'vars', attributes } });
const identifiers = (type: string, ...ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });
const idsOf = ({ body }: ApiResponse): readonly string[] => body.data.map(({ id }: { id: string }) => id);
const error = (reply: ApiResponse) => ({ status: reply.status, ...reply.body.errors[0] });

const createSet = async (attributes: object = {}, relationships?: object): Promise<string> => {
  const body = setDocument({ name: newName(), ...attributes }, relationships);
  const reply = await send('POST', '/organizations/acme/varsets', body);
  expect(reply.status).toBe(201);
  return reply.body.data.id;
};
const createWorkspace = async (project?: string): Promise<string> => {
  const relationships = project && { project: { data: { type: 'projects', id: project } } };
  const data = { type: 'workspaces', attributes: { name: newName() }, ...(relationships && { relationships }) };
  return (await send('POST', '/organizations/acme/workspaces', { data })).body.data.id;
};
const createProject = async (): Promise<string> =>
  (await send('POST', '/organizations/acme/projects', { data: { type: 'projects', attributes: { name: newName() } } }))
    .body.data.id;
const ofProject = (id: string) => ({ parent: { data: { type: 'projects', id } } });
const addVariable = (set: string, attributes: object) =>
  send('POST', `/varsets/${set}/relationships/vars`, variableDocument({ category: 'env', ...attributes }));
const assign = (set: string, type: 'workspaces' | 'projects', ...ids: readonly string[]) =>
  send('POST', `/varsets/${set}/relationships/${type}`, identifiers(type, ...ids));
const show = async (set: string) => (await send('GET', `/varsets/${set}`)).body.data;
/** Returns the values in force for a workspace, by key. */
const valuesIn = async (workspace: string): Promise<Record<string, string>> => {
  const { body } = await send('GET', `/workspaces/${workspace}/all-vars`);
  return Object.fromEntries(
    body.data.map(({ attributes }: { attributes: { key: string; value: string } }) => [
      attributes.key,
      attributes.value,
    ]),
  );
};

beforeAll(async () => {
  api = await startApi({ cacheSeconds: 9_999 });
  const { token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  owner = token;
});
afterAll(async () => {
  await api.cleanup();
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

describe('a variable set', () => {
  it('is created and updated by requests without a type, but not with another type (HTTP-8)', async () => {
    const reply = await send('POST', '/organizations/acme/varsets', { data: { attributes: { name: newName() } } });
    expect(reply.status).toBe(201);
    const path = `/varsets/${reply.body.data.id}`;
    const attributes = { description: 'new' };
    expect((await send('PATCH', path, { data: { attributes } })).body.data.attributes).toMatchObject(attributes);
    expect(error(await send('PATCH', path, { data: { type: 'vars', attributes } }))).toMatchObject({
      status: '422',
      source: { pointer: '/data/type' },
    });
  });

  it('is created, shown, listed, updated and deleted', async () => {
    const body = setDocument({ name: 'AWS credentials', description: 'for all', priority: true });
    const reply = await send('POST', '/organizations/acme/varsets', body);
    expect(reply.status).toBe(201);
    const { data } = reply.body;
    expect(data).toEqual({
      id: expect.stringMatching(/^varset-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'varsets',
      attributes: {
        name: 'AWS credentials',
        description: 'for all',
        global: false,
        priority: true,
        'created-at': expect.any(String),
        'updated-at': expect.any(String),
        'var-count': 0,
        'workspace-count': 0,
        'project-count': 0,
        permissions: { 'can-read': true, 'can-update': true, 'can-destroy': true },
      },
      relationships: {
        organization: { data: { type: 'organizations', id: 'acme' } },
        parent: { data: { type: 'organizations', id: 'acme' } },
        workspaces: { data: [] },
        projects: { data: [] },
        vars: { data: [] },
      },
      links: { self: `/api/v2/varsets/${data.id}` },
    });
    expect(await show(data.id)).toEqual(data);
    expect((await send('GET', '/organizations/acme/varsets?q=aws')).body.data).toEqual([data]);
    expect((await send('GET', '/organizations/acme/varsets?q=azure')).body.data).toEqual([]);

    const changed = await send('PATCH', `/varsets/${data.id}`, setDocument({ name: 'AWS', description: null }));
    expect(changed.body.data.attributes).toMatchObject({ name: 'AWS', description: '', priority: true });
    expect(await show(data.id)).toEqual(changed.body.data);

    expect((await send('DELETE', `/varsets/${data.id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await send(method, `/varsets/${data.id}`)).status).toBe(404);
    expect((await send('GET', '/organizations/acme/varsets?q=aws')).body.data).toEqual([]);
  });

  it('keeps its update time if an update changes nothing', async () => {
    const id = await createSet({ description: 'same' });
    const before = await show(id);
    const reply = await send('PATCH', `/varsets/${id}`, setDocument({ description: 'same' }));
    expect(reply.body.data).toEqual(before);
  });

  it('needs a name that no other variable set of the organization has', async () => {
    const name = newName();
    expect(error(await send('POST', '/organizations/acme/varsets', setDocument()))).toMatchObject({
      status: '422',
      source: { pointer: '/data/attributes/name' },
    });
    await createSet({ name });
    const taken = { status: '422', detail: 'Name has already been taken' };
    expect(error(await send('POST', '/organizations/acme/varsets', setDocument({ name })))).toMatchObject(taken);
    const other = await createSet();
    expect(error(await send('PATCH', `/varsets/${other}`, setDocument({ name })))).toMatchObject(taken);
  });

  it('frees its name when it is renamed or deleted', async () => {
    const [first, second] = [newName(), newName()];
    const id = await createSet({ name: first });
    await send('PATCH', `/varsets/${id}`, setDocument({ name: second }));
    await createSet({ name: first });
    await send('DELETE', `/varsets/${id}`);
    await createSet({ name: second });
  });

  it('is created by exactly one of two requests with the same name', async () => {
    const name = newName();
    const body = setDocument({ name });
    const replies = await Promise.all([1, 2, 3].map(() => send('POST', '/organizations/acme/varsets', body)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
  });

  it('rejects variables in the body, and a parent that does not exist or changes', async () => {
    const pointer = (name: string) => ({ status: '422', source: { pointer: `/data/relationships/${name}` } });
    const post = (relationships: object) =>
      send('POST', '/organizations/acme/varsets', setDocument({ name: newName() }, relationships));
    expect(error(await post({ vars: { data: [{ type: 'vars', attributes: {} }] } }))).toMatchObject(pointer('vars'));
    expect(error(await post(ofProject('prj-2jPTvTDXBPFzPGbT')))).toMatchObject(pointer('parent'));
    const foreign = { parent: { data: { type: 'organizations', id: 'other' } } };
    expect(error(await post(foreign))).toMatchObject(pointer('parent'));
    const id = await createSet({}, { parent: { data: { type: 'organizations', id: 'acme' } } });
    const project = await createProject();
    const moved = await send('PATCH', `/varsets/${id}`, setDocument({}, ofProject(project)));
    expect(error(moved)).toMatchObject(pointer('parent'));
  });
});

describe('a variable of a variable set', () => {
  it('is created, listed, changed and deleted', async () => {
    const set = await createSet();
    const reply = await addVariable(set, { key: 'REGION', value: 'eu', description: 'where' });
    expect(reply.status).toBe(201);
    const { data } = reply.body;
    expect(data).toEqual({
      id: expect.stringMatching(/^var-/),
      type: 'vars',
      attributes: {
        key: 'REGION',
        value: 'eu',
        description: 'where',
        'value-reference': null,
        sensitive: false,
        category: 'env',
        hcl: false,
        'created-at': expect.any(String),
        'version-id': expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      relationships: { varset: { data: { type: 'varsets', id: set }, links: { related: `/api/v2/varsets/${set}` } } },
      links: { self: `/api/v2/varsets/${set}/relationships/vars/${data.id}` },
    });
    const path = `/varsets/${set}/relationships/vars/${data.id}`;
    expect((await send('GET', path)).body.data).toEqual(data);
    expect((await send('GET', `/varsets/${set}/relationships/vars`)).body.data).toEqual([data]);
    expect((await show(set)).relationships.vars.data).toEqual([{ type: 'vars', id: data.id }]);

    const changed = await send('PATCH', path, variableDocument({ key: 'ZONE', value: 'eu-1', hcl: true }));
    expect(changed.body.data.attributes).toMatchObject({ key: 'ZONE', value: 'eu-1', hcl: true, description: 'where' });
    expect((await send('GET', path)).body.data).toEqual(changed.body.data);

    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
    expect((await show(set)).attributes['var-count']).toBe(0);
  });

  it('is encrypted and never returned if it is sensitive', async () => {
    const set = await createSet();
    const { body } = await addVariable(set, { key: 'TOKEN', value: 's3cret', sensitive: true });
    expect(body.data.attributes).toMatchObject({ value: null, sensitive: true });
    const path = `/varsets/${set}/relationships/vars/${body.data.id}`;
    const replaced = await send('PATCH', path, variableDocument({ value: 's3cret-2' }));
    expect(replaced.body.data.attributes).toMatchObject({ value: null, sensitive: true });
    expect(error(await send('PATCH', path, variableDocument({ key: 'OTHER' })))).toMatchObject({ status: '422' });
    expect(error(await send('PATCH', path, variableDocument({ sensitive: false })))).toMatchObject({ status: '422' });
    const stored = JSON.stringify(await api.engine.database.query({ partition: `VARSET#${set}` }));
    expect(stored).not.toMatch(/s3cret/);
  });

  it('keeps its category', async () => {
    const set = await createSet();
    const { body } = await addVariable(set, { key: 'REGION' });
    const path = `/varsets/${set}/relationships/vars/${body.data.id}`;
    expect((await send('PATCH', path, variableDocument({ category: 'env' }))).status).toBe(200);
    expect(error(await send('PATCH', path, variableDocument({ category: 'terraform' })))).toMatchObject({
      status: '422',
      source: { pointer: '/data/attributes/category' },
    });
  });

  it('has a key that is unique in its variable set, also between requests at the same time', async () => {
    const set = await createSet();
    const replies = await Promise.all([1, 2, 3].map(() => addVariable(set, { key: 'REGION' })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
    const { body } = await addVariable(set, { key: 'ZONE' });
    const path = `/varsets/${set}/relationships/vars/${body.data.id}`;
    expect(error(await send('PATCH', path, variableDocument({ key: 'REGION' })))).toMatchObject({
      status: '422',
      detail: 'Key has already been taken',
    });
    expect((await show(set)).attributes['var-count']).toBe(2);
  });

  it('is not found below another variable set or among the variables of workspaces', async () => {
    const [set, other, workspace] = [await createSet(), await createSet(), await createWorkspace()];
    const { body } = await addVariable(set, { key: 'REGION' });
    expect((await send('GET', `/varsets/${other}/relationships/vars/${body.data.id}`)).status).toBe(404);
    expect((await send('GET', `/workspaces/${workspace}/vars/${body.data.id}`)).status).toBe(404);
    expect((await send('PATCH', `/vars/${body.data.id}`, variableDocument({ value: 'x' }))).status).toBe(404);
  });

  it('is returned in the vocabulary of the client', async () => {
    const set = await createSet();
    const body = variableDocument({ key: 'region', category: 'terraform' });
    const headers = { 'user-agent': 'go-tfe' };
    const reply = await api.request('POST', `/varsets/${set}/relationships/vars`, { token: owner, body, headers });
    expect(reply.body.data.attributes.category).toBe('terraform');
    expect((await send('GET', `/varsets/${set}/relationships/vars`)).body.data[0].attributes.category).toBe('infra');
  });
});

describe('the assignment of a variable set', () => {
  it('adds and removes workspaces and projects, and repeating it changes nothing', async () => {
    const [set, one, other, project] = [
      await createSet(),
      await createWorkspace(),
      await createWorkspace(),
      await createProject(),
    ];
    expect((await assign(set, 'workspaces', one, other, one)).status).toBe(204);
    expect((await assign(set, 'workspaces', one)).status).toBe(204);
    expect((await assign(set, 'projects', project)).status).toBe(204);
    const { relationships, attributes } = await show(set);
    expect(relationships.workspaces.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [one, other].toSorted(),
    );
    expect(relationships.projects.data).toEqual([{ type: 'projects', id: project }]);
    expect(attributes).toMatchObject({ 'workspace-count': 2, 'project-count': 1 });
    expect(idsOf(await send('GET', `/workspaces/${one}/varsets`))).toEqual([set]);
    expect(idsOf(await send('GET', `/projects/${project}/varsets`))).toEqual([set]);

    const removed = await send('DELETE', `/varsets/${set}/relationships/workspaces`, identifiers('workspaces', one));
    expect(removed.status).toBe(204);
    await send('DELETE', `/varsets/${set}/relationships/projects`, identifiers('projects', project, 'prj-unknown'));
    expect((await show(set)).relationships).toMatchObject({
      workspaces: { data: [{ type: 'workspaces', id: other }] },
      projects: { data: [] },
    });
    expect(idsOf(await send('GET', `/workspaces/${one}/varsets`))).toEqual([]);
  });

  it('is replaced by the relationships of an update, also with more elements than fit in one transaction', async () => {
    const workspaces = await Promise.all(Array.from({ length: 45 }, () => createWorkspace()));
    const set = await createSet({}, { workspaces: identifiers('workspaces', ...workspaces) });
    expect((await show(set)).attributes['workspace-count']).toBe(45);
    const kept = workspaces.slice(0, 2);
    const body = setDocument({ global: false }, { workspaces: identifiers('workspaces', ...kept) });
    const reply = await send('PATCH', `/varsets/${set}?include=workspaces`, body);
    expect(reply.body.data.relationships.workspaces.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      kept.toSorted(),
    );
    await send('PATCH', `/varsets/${set}`, setDocument({}, { workspaces: { data: [] } }));
    expect((await show(set)).attributes['workspace-count']).toBe(0);
  });

  it('rejects what does not exist, naming the element, and applies nothing', async () => {
    const [set, workspace] = [await createSet(), await createWorkspace()];
    expect(error(await assign(set, 'workspaces', workspace, 'ws-2jPTvTDXBPFzPGbT'))).toMatchObject({
      status: '422',
      source: { pointer: '/data/1/id' },
    });
    expect(error(await assign(set, 'projects', 'nonsense'))).toMatchObject({ status: '422' });
    const body = setDocument({}, { projects: identifiers('projects', 'prj-2jPTvTDXBPFzPGbT') });
    expect(error(await send('PATCH', `/varsets/${set}`, body))).toMatchObject({
      status: '422',
      source: { pointer: '/data/relationships/projects/data/0/id' },
    });
    expect((await show(set)).attributes['workspace-count']).toBe(0);
  });

  it('is rejected while the variable set is global, and returns when it no longer is', async () => {
    const [set, workspace] = [await createSet(), await createWorkspace()];
    await assign(set, 'workspaces', workspace);
    await send('PATCH', `/varsets/${set}`, setDocument({ global: true }));
    expect((await show(set)).relationships.workspaces.data).toEqual([]);
    for (const method of ['POST', 'DELETE']) {
      const path = `/varsets/${set}/relationships/workspaces`;
      expect(error(await send(method, path, identifiers('workspaces', workspace)))).toMatchObject({ status: '422' });
    }
    await send('PATCH', `/varsets/${set}`, setDocument({ global: false }));
    expect((await show(set)).relationships.workspaces.data).toEqual([{ type: 'workspaces', id: workspace }]);
  });

  it('ends with the workspace, the project and the variable set', async () => {
    const [set, workspace, project] = [await createSet(), await createWorkspace(), await createProject()];
    const doomed = await createSet();
    await assign(set, 'workspaces', workspace);
    await assign(doomed, 'workspaces', workspace);
    await assign(set, 'projects', project);
    await send('DELETE', `/varsets/${doomed}`);
    expect(idsOf(await send('GET', `/workspaces/${workspace}/varsets`))).toEqual([set]);
    await send('POST', `/workspaces/${workspace}/actions/safe-delete`);
    expect((await show(set)).relationships.workspaces.data).toEqual([]);
    await api.cleanup();
    const [item] = await api.engine.database.query({ partition: `VARSET#${set}` });
    expect(item?.['workspaces']).toEqual({});
  });

  it('is either complete or absent when the variable set is deleted at the same time', async () => {
    const workspace = await createWorkspace();
    for (let round = 0; round < 5; round++) {
      const set = await createSet();
      const [assigned, deleted] = await Promise.all([
        assign(set, 'workspaces', workspace),
        send('DELETE', `/varsets/${set}`),
      ]);
      expect([204, 404]).toContain(assigned.status);
      expect(deleted.status).toBe(204);
      expect(idsOf(await send('GET', `/workspaces/${workspace}/varsets`))).toEqual([]);
    }
  });
});

describe('the lists of variable sets', () => {
  it('include workspaces, projects and variables', async () => {
    const [set, workspace, project] = [await createSet(), await createWorkspace(), await createProject()];
    await assign(set, 'workspaces', workspace);
    await assign(set, 'projects', project);
    const { body } = await addVariable(set, { key: 'REGION' });
    for (const path of [`/varsets/${set}`, `/workspaces/${workspace}/varsets`, `/projects/${project}/varsets`]) {
      const reply = await send('GET', `${path}?include=workspaces,projects,vars`);
      expect(reply.body.included.map(({ id }: { id: string }) => id)).toEqual([workspace, project, body.data.id]);
    }
    expect((await send('GET', `/varsets/${set}?include=stacks`)).status).toBe(400);
  });

  it('have pages in the order of names', async () => {
    const name = newName();
    await Promise.all(['c', 'a', 'b'].map((suffix) => createSet({ name: `${name} ${suffix}` })));
    const pages = [1, 2].map((number) =>
      send('GET', `/organizations/acme/varsets?q=${name}&page[size]=2&page[number]=${number}`),
    );
    const names = (await Promise.all(pages)).map(({ body }) =>
      body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name),
    );
    expect(names).toEqual([[`${name} a`, `${name} b`], [`${name} c`]]);
  });

  it('have only global sets or others, and only those that the organization or the project owns', async () => {
    const [name, project] = [newName(), await createProject()];
    const shared = await createSet({ name: `${name} a` });
    const global = await createSet({ name: `${name} b`, global: true });
    const owned = await createSet({ name: `${name} c` }, ofProject(project));
    await assign(shared, 'projects', project);
    const listed = async (query: string) => idsOf(await send('GET', `/organizations/acme/varsets?q=${name}&${query}`));
    expect(await listed('filter[global]=true')).toEqual([global]);
    expect(await listed('filter[global]=false')).toEqual([shared, owned]);
    expect(await listed('filter[global]=false&page[size]=1&page[number]=2')).toEqual([owned]);
    expect(await listed('scope=owned')).toEqual([shared, global]);
    const inProject = async (query: string) =>
      idsOf(await send('GET', `/projects/${project}/varsets?q=${name}&${query}`));
    expect(await inProject('scope=')).toEqual([shared, global, owned]);
    expect(await inProject('scope=owned')).toEqual([owned]);
    for (const path of ['/organizations/acme/varsets', `/projects/${project}/varsets`]) {
      expect(error(await send('GET', `${path}?scope=shared`))).toMatchObject({
        status: '400',
        source: { parameter: 'scope' },
      });
    }
    await send('DELETE', `/varsets/${global}`);
  });

  it('of a workspace are those that apply, and those that can be assigned', async () => {
    const [name, project, elsewhere] = [newName(), await createProject(), await createProject()];
    const workspace = await createWorkspace(project);
    const assigned = await createSet({ name: `${name} a` });
    const inherited = await createSet({ name: `${name} b` });
    const free = await createSet({ name: `${name} c` });
    const ofItsProject = await createSet({ name: `${name} d` }, ofProject(project));
    await createSet({ name: `${name} e` }, ofProject(elsewhere));
    const global = await createSet({ name: `${name} f`, global: true });
    await assign(assigned, 'workspaces', workspace);
    await assign(inherited, 'projects', project);
    const list = async (path: string, query = '') =>
      idsOf(await send('GET', `/workspaces/${workspace}/${path}?q=${name}${query}`));
    expect(await list('varsets')).toEqual([assigned, inherited, global]);
    expect(await list('applicable-varsets')).toEqual([free, ofItsProject]);
    const second = await send(
      'GET',
      `/workspaces/${workspace}/applicable-varsets?q=${name}&page[size]=1&page[number]=2`,
    );
    expect(idsOf(second)).toEqual([ofItsProject]);
    expect(second.body.meta.pagination).toMatchObject({ 'total-count': 2 });
    await assign(free, 'workspaces', workspace);
    expect(await list('applicable-varsets')).toEqual([ofItsProject]);
    await send('DELETE', `/varsets/${global}`);
  });

  it('that can be assigned to a workspace contain only what the caller may read', async () => {
    const [name, project] = [newName(), await createProject()];
    const workspace = await createWorkspace(project);
    await createSet({ name: `${name} a` });
    const owned = await createSet({ name: `${name} b` }, ofProject(project));
    const team = newName();
    const { team: created } = await api.admin('create-team', { organization: 'acme', name: team });
    await api.admin('grant-access', { organization: 'acme', team, project, access: 'maintain' });
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: created.id });
    const reply = await send('GET', `/workspaces/${workspace}/applicable-varsets?q=${name}`, undefined, token);
    expect(idsOf(reply)).toEqual([owned]);
  });

  it('have no relationship to stacks', async () => {
    const set = await createSet();
    expect((await send('POST', `/varsets/${set}/relationships/stacks`, { data: [] })).status).toBe(404);
  });
});

describe('the variables in force for a workspace', () => {
  it('are those of the workspace and of its variable sets, each key once, by the documented precedence', async () => {
    const project = await createProject();
    const workspace = await createWorkspace(project);
    const outside = await createWorkspace();
    /** From the lowest precedence to the highest; each overrides the ones before. */
    const sets: readonly [
      attributes: object,
      relationships: object | undefined,
      target: 'workspaces' | 'projects' | undefined,
    ][] = [
      [{ global: true }, undefined, undefined],
      [{}, undefined, 'projects'],
      [{}, ofProject(project), 'projects'],
      [{}, undefined, 'workspaces'],
      [{}, ofProject(project), 'workspaces'],
      [{ priority: true }, ofProject(project), 'workspaces'],
      [{ priority: true }, undefined, 'workspaces'],
      [{ priority: true }, ofProject(project), 'projects'],
      [{ priority: true }, undefined, 'projects'],
      [{ global: true, priority: true }, undefined, undefined],
    ];
    const ids: string[] = [];
    for (const [index, [attributes, relationships, target]] of sets.entries()) {
      const set = await createSet(attributes, relationships);
      ids.push(set);
      if (target !== undefined) {
        expect((await assign(set, target, target === 'projects' ? project : workspace)).status).toBe(204);
      }
      // A global variable set has a key of its own, because two of them must not share one.
      await addVariable(set, { key: index === 9 ? 'TOP' : 'KEY', value: `set ${index}` });
      const own = index >= 5;
      if (index === 5) {
        const document = variableDocument({ key: 'KEY', value: 'own', category: 'env' });
        await send('POST', `/workspaces/${workspace}/vars`, document);
      }
      const expected = index === 9 ? 'set 8' : `set ${index}`;
      expect((await valuesIn(workspace))['KEY'], `after set ${index}, ${own}`).toBe(expected);
    }
    expect(await valuesIn(workspace)).toEqual({ KEY: 'set 8', TOP: 'set 9' });
    expect(await valuesIn(outside)).toEqual({ KEY: 'set 0', TOP: 'set 9' });
    for (const set of ids.slice(5)) await send('DELETE', `/varsets/${set}`);
    expect(await valuesIn(workspace)).toEqual({ KEY: 'own' });
    for (const set of ids) await send('DELETE', `/varsets/${set}`);
  });

  it('come from the variable set with the first name if two have the same rank', async () => {
    const workspace = await createWorkspace();
    const [second, first] = [await createSet({ name: 'b tie' }), await createSet({ name: 'B tie' })];
    for (const set of [second, first]) {
      await assign(set, 'workspaces', workspace);
      await addVariable(set, { key: 'KEY', value: set });
    }
    expect(await valuesIn(workspace)).toEqual({ KEY: first });
  });

  it('distinguish categories, show no sensitive value, and name what a variable belongs to', async () => {
    const [set, workspace] = [await createSet(), await createWorkspace()];
    await assign(set, 'workspaces', workspace);
    await addVariable(set, { key: 'KEY', value: 'secret', sensitive: true });
    await send(
      'POST',
      `/workspaces/${workspace}/vars`,
      variableDocument({ key: 'KEY', value: 'own', category: 'infra' }),
    );
    const { body } = await send('GET', `/workspaces/${workspace}/all-vars`);
    expect(body.data).toMatchObject([
      { attributes: { category: 'env', value: null }, relationships: { varset: { data: { id: set } } } },
      { attributes: { category: 'infra', value: 'own' }, relationships: { configurable: { data: { id: workspace } } } },
    ]);
  });
});

describe('global variable sets', () => {
  it('do not share a key of one category, and the error names the set that has it', async () => {
    const name = newName();
    const [one, other] = [await createSet({ name, global: true }), await createSet({ global: true })];
    const taken = {
      status: '422',
      detail: `Key is already used in another global variable set: ${name}`,
      source: { pointer: '/data/attributes/key' },
    };
    expect((await addVariable(one, { key: 'G1' })).status).toBe(201);
    expect(error(await addVariable(other, { key: 'G1' }))).toMatchObject(taken);
    expect((await addVariable(other, { key: 'G1', category: 'infra' })).status).toBe(201);
    const { body } = await addVariable(other, { key: 'G2' });
    const path = `/varsets/${other}/relationships/vars/${body.data.id}`;
    expect(error(await send('PATCH', path, variableDocument({ key: 'G1' })))).toMatchObject(taken);
    const local = await createSet();
    await addVariable(local, { key: 'G1' });
    expect(error(await send('PATCH', `/varsets/${local}`, setDocument({ global: true })))).toMatchObject({
      status: '422',
      detail: `Global cannot be true: the global variable set ${name} has the key G1`,
      source: { pointer: '/data/attributes/global' },
    });
    await send('DELETE', `/varsets/${one}`);
    expect((await send('PATCH', `/varsets/${local}`, setDocument({ global: true }))).status).toBe(200);
    for (const set of [other, local]) await send('DELETE', `/varsets/${set}`);
  });

  it('get a key in exactly one of two requests at the same time', async () => {
    const sets = [await createSet({ global: true }), await createSet({ global: true })];
    const replies = await Promise.all(sets.map((set) => addVariable(set, { key: 'RACE' })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 422]);
    for (const set of sets) await send('DELETE', `/varsets/${set}`);
  });
});

describe('a variable set of a project', () => {
  it('can be assigned inside the project only, and is not in force outside', async () => {
    const [project, other] = [await createProject(), await createProject()];
    const [inside, outside] = [await createWorkspace(project), await createWorkspace(other)];
    const set = await createSet({}, ofProject(project));
    expect((await show(set)).relationships.parent.data).toEqual({ type: 'projects', id: project });
    expect(error(await assign(set, 'workspaces', outside))).toMatchObject({ status: '422' });
    expect(error(await assign(set, 'projects', other))).toMatchObject({ status: '422' });
    expect((await assign(set, 'workspaces', inside)).status).toBe(204);
    expect(idsOf(await send('GET', `/projects/${project}/varsets`))).toEqual([set]);
    await addVariable(set, { key: 'KEY', value: 'inside' });
    expect(await valuesIn(inside)).toEqual({ KEY: 'inside' });
    await send('POST', `/projects/${other}/relationships/workspaces`, identifiers('workspaces', inside));
    expect(await valuesIn(inside)).toEqual({});
  });

  it('shows in every response what the caller may do with it', async () => {
    const project = await createProject();
    const workspace = await createWorkspace(project);
    const team = await send('POST', '/organizations/acme/teams', {
      data: { type: 'teams', attributes: { name: newName() } },
    });
    const { id } = team.body.data;
    const custom = { access: 'custom', 'project-access': { 'variable-sets': 'read', settings: 'read' } };
    const access = await send('POST', '/team-projects', {
      data: {
        type: 'team-projects',
        attributes: { ...custom, 'workspace-access': { variables: 'read' } },
        relationships: {
          team: { data: { type: 'teams', id } },
          project: { data: { type: 'projects', id: project } },
        },
      },
    });
    const { token } = (await send('POST', `/teams/${id}/authentication-token`)).body.data.attributes;
    const set = await createSet({}, ofProject(project));
    await assign(set, 'workspaces', workspace);
    const permissionsIn = async (caller: string) => {
      const one = (await send('GET', `/varsets/${set}`, undefined, caller)).body.data;
      const lists = await Promise.all(
        [`/organizations/acme/varsets`, `/projects/${project}/varsets`, `/workspaces/${workspace}/varsets`].map(
          async (path) => (await send('GET', `${path}?page[size]=100`, undefined, caller)).body.data,
        ),
      );
      const listed = lists.map((data) => data.find((other: { id: string }) => other.id === set));
      expect(listed).toEqual([one, one, one]);
      return one.attributes.permissions;
    };
    expect(await permissionsIn(token)).toEqual({ 'can-read': true, 'can-update': false, 'can-destroy': false });
    expect(await permissionsIn(owner)).toEqual({ 'can-read': true, 'can-update': true, 'can-destroy': true });
    const changed = await send('PATCH', `/varsets/${set}`, setDocument({ description: 'new' }));
    expect(changed.body.data.attributes.permissions).toEqual({
      'can-read': true,
      'can-update': true,
      'can-destroy': true,
    });

    const shared = await createSet({});
    await assign(shared, 'workspaces', workspace);
    await send('PATCH', `/team-projects/${access.body.data.id}`, {
      data: { type: 'team-projects', attributes: { ...custom, 'project-access': { 'variable-sets': 'none' } } },
    });
    const { data } = (await send('GET', `/workspaces/${workspace}/varsets`, undefined, token)).body;
    for (const one of [set, shared]) {
      expect((await send('GET', `/varsets/${one}`, undefined, token)).status).toBe(404);
      const listed = data.find((other: { id: string }) => other.id === one);
      expect(listed.attributes.permissions).toEqual({ 'can-read': false, 'can-update': false, 'can-destroy': false });
    }
  });

  it('cannot be global', async () => {
    const project = await createProject();
    const body = setDocument({ name: newName(), global: true }, ofProject(project));
    const rejected = { status: '422', source: { pointer: '/data/attributes/global' } };
    expect(error(await send('POST', '/organizations/acme/varsets', body))).toMatchObject(rejected);
    const set = await createSet({}, ofProject(project));
    expect(error(await send('PATCH', `/varsets/${set}`, setDocument({ global: true })))).toMatchObject(rejected);
  });

  it('is deleted with the project, and its name is free at once', async () => {
    const project = await createProject();
    const [name, other] = [newName(), newName()];
    const [owned, assigned] = [await createSet({ name }, ofProject(project)), await createSet()];
    await createSet({ name: other }, ofProject(project));
    await assign(assigned, 'projects', project);
    const taken = await send('POST', '/organizations/acme/varsets', setDocument({ name }));
    expect(error(taken)).toMatchObject({ status: '422', source: { pointer: '/data/attributes/name' } });
    expect((await send('DELETE', `/projects/${project}`)).status).toBe(204);
    expect((await send('GET', `/varsets/${owned}`)).status).toBe(404);
    expect((await show(assigned)).relationships.projects.data).toEqual([]);
    await createSet({ name });
    expect((await send('PATCH', `/varsets/${assigned}`, setDocument({ name: other }))).status).toBe(200);
  });
});
