import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';
import { createSeededRandom } from '../../support/models/seeded-random.ts';

/**
 * The index behind lists lags behind the table. A page never shows a workspace that is deleted, renamed, or no longer
 * readable. A new workspace appears when the index has it. The clock is fake, so no test waits.
 */
const LIST = '/organizations/acme/workspaces';
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let engine: TestEngine;
let index: IndexProxy;
let api: Api;
let owner: string;
let reader: string;
let time = Date.UTC(2026, 10, 21);

const pass = (milliseconds: number): void => {
  time += milliseconds;
  vi.setSystemTime(time);
};
const admin = (command: string, parameters: object) => api.admin(command, { organization: 'acme', ...parameters });
const createProject = async (name: string): Promise<string> => (await admin('create-project', { name })).project.id;
const create = async (name: string, project?: string): Promise<string> => {
  const relationships = project && { project: { data: { type: 'projects', id: project } } };
  const data = { type: 'workspaces', attributes: { name }, ...(relationships && { relationships }) };
  return (await api.request('POST', LIST, { token: owner, body: { data } })).body.data.id;
};
const update = (id: string, attributes: object, project?: string): Promise<ApiResponse> => {
  const relationships = project && { project: { data: { type: 'projects', id: project } } };
  const data = { type: 'workspaces', attributes, ...(relationships && { relationships }) };
  return api.request('PATCH', `/workspaces/${id}`, { token: owner, body: { data } });
};
const remove = (id: string): Promise<ApiResponse> => api.request('DELETE', `/workspaces/${id}`, { token: owner });
const list = (query: string, token = owner): Promise<ApiResponse> => api.request('GET', `${LIST}?${query}`, { token });
const getNames = ({ body }: ApiResponse): string[] =>
  body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name);

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: time });
  engine = await startEngine();
  index = await startIndexProxy(engine);
  api = await startApi({ engine, endpoint: index.endpoint, deletedWorkspaceDays: 14 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  await admin('create-team', { name: 'readers' });
  await admin('add-member', { team: 'readers', username: 'grace' });
  ({ token: reader } = await api.admin('create-token', { kind: 'user', username: 'grace' }));
});
afterEach(async () => {
  index.thaw();
  // Expires everything that a test left in the list index.
  pass(7 * HOUR);
  for (const { id } of (await list('page[size]=100')).body.data) await remove(id);
  pass(7 * HOUR);
});
afterAll(async () => {
  vi.useRealTimers();
  await api.stop();
  await index.stop();
  await engine.stop();
});

describe('GET /organizations/:name/workspaces while the index lags behind the table', () => {
  it.each(['warm', 'cold'])('omits deleted workspaces with a %s list index', async (state) => {
    const ids = await Promise.all(Array.from({ length: 25 }, (_, number) => create(`w-${10 + number}`)));
    if (state === 'warm') await list('');
    await index.freeze();
    for (const id of ids.slice(0, 22)) await remove(id);
    const first = await list('page[size]=2');
    expect(first.status).toBe(200);
    expect(getNames(first)).toEqual(['w-32', 'w-33']);
    expect(first.body.meta.pagination['total-count']).toBe(3);
  });

  it('sorts renamed workspaces by their new names and does not find them by their old names', async () => {
    const ids = [await create('a-1'), await create('a-2'), await create('a-3')];
    await list('');
    await index.freeze();
    await update(ids[0] ?? '', { name: 'z-1' });
    expect(getNames(await list('search[name]=a-'))).toEqual(['a-2', 'a-3']);
    expect(getNames(await list('search[wildcard-name]=a-1'))).toEqual([]);
    expect(getNames(await list(''))).toEqual(['a-2', 'a-3', 'z-1']);
    expect(getNames(await list('search[name]=z-'))).toEqual(['z-1']);
  });

  it('omits workspaces that were moved out of the filtered project', async () => {
    const [from, to] = [await createProject('From'), await createProject('Towards')];
    const id = await create('moved', from);
    await list('');
    await index.freeze();
    await update(id, {}, to);
    expect(getNames(await list(`filter[project][id]=${from}`))).toEqual([]);
    expect(getNames(await list(`filter[project][id]=${to}`))).toEqual(['moved']);
  });

  it('omits workspaces whose grant was revoked: at once for a workspace grant, within 5 s for a project grant', async () => {
    const project = await createProject('Granted');
    const own = await create('of-its-own');
    await create('of-the-project', project);
    await admin('grant-access', { team: 'readers', workspace: own, access: 'read' });
    await admin('grant-access', { team: 'readers', project, access: 'read' });
    pass(SECOND);
    expect(getNames(await list('', reader))).toEqual(['of-its-own', 'of-the-project']);
    await index.freeze();
    await admin('revoke-access', { team: 'readers', workspace: own });
    expect(getNames(await list('', reader))).toEqual(['of-the-project']);
    await admin('revoke-access', { team: 'readers', project });
    pass(4 * SECOND);
    const after = await list('', reader);
    expect(getNames(after)).toEqual([]);
    expect(after.body.meta.pagination['total-count']).toBe(0);
  });

  it('shows a new workspace and the new total when the index has caught up', async () => {
    await create('first');
    await list('');
    await index.freeze();
    await create('second');
    expect((await list('')).body.meta.pagination['total-count']).toBe(1);
    pass(2 * SECOND);
    index.thaw();
    const after = await list('');
    expect(getNames(after)).toEqual(['first', 'second']);
    expect(after.body.meta.pagination['total-count']).toBe(2);
  });
});

describe('GET /organizations/:name/workspaces while eventually consistent reads lag behind the index', () => {
  it('shows the workspaces as the index knows them, with current attributes', async () => {
    const [first, second, third] = [await create('a-1'), await create('a-2'), await create('a-3')];
    await list('');
    await index.freezeItems();
    await update(first, { name: 'b-1' });
    await remove(second);
    await update(third, { description: 'of no matter to lists' });
    const fourth = await create('a-4');
    const shown = await list('');
    expect(getNames(shown)).toEqual(['a-3', 'a-4', 'b-1']);
    expect(shown.body.data.map(({ id }: { id: string }) => id)).toEqual([third, fourth, first]);
  });
});

/** Expected workspace of the random histories below. */
interface ExpectedWorkspace {
  name: string;
  project: string;
  granted: boolean;
}

describe('GET /organizations/:name/workspaces during random changes and index lags', () => {
  it.each([1, 2, 3])('returns only correct rows in every response, with seed %i', async (seed) => {
    const draw = createSeededRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)] as T;
    const projects = [await createProject(`First ${seed}`), await createProject(`Second ${seed}`)];
    const granted = new Map(projects.map((id) => [id, false]));
    const expectedWorkspaces = new Map<string, ExpectedWorkspace>();
    let [named, isFrozen, checked, behind] = [0, false, 0, 0];
    const newName = (): string => `${pick(['red', 'blue', 'green'])}-${++named}`;
    const isReadable = ({ granted: own, project }: ExpectedWorkspace): boolean => own || granted.get(project) === true;

    const check = async (isExact: boolean): Promise<void> => {
      const token = pick([owner, reader]);
      const wanted = pick(['', 'red', 'blue', 'e']);
      const project = pick([undefined, undefined, ...projects]);
      const sort = pick(['name', '-name']);
      const expected = [...expectedWorkspaces.values()]
        .filter((one) => one.name.includes(wanted) && (project === undefined || one.project === project))
        .filter((one) => token === owner || isReadable(one))
        .map(({ name }) => name)
        .sort();
      if (sort === '-name') expected.reverse();
      const shown: string[] = [];
      for (let page = 1; page === 1 || shown.length === (page - 1) * 4; page++) {
        const query = `search[name]=${wanted}&sort=${sort}&page[size]=4&page[number]=${page}`;
        const reply = await list(project === undefined ? query : `${query}&filter[project][id]=${project}`, token);
        expect(reply.status).toBe(200);
        const names = getNames(reply);
        // Rows are in order, correct and unique.
        expect(expected.filter((name) => names.includes(name))).toEqual(names);
        const total = reply.body.meta.pagination['total-count'];
        if (isExact) expect(total).toBe(expected.length);
        else if (total !== expected.length) behind++;
        shown.push(...names);
        checked++;
      }
      if (isExact) expect(shown).toEqual(expected);
    };

    const changes: readonly (() => Promise<unknown>)[] = [
      async () => {
        const [name, project] = [newName(), pick(projects)];
        expectedWorkspaces.set(await create(name, project), { name, project, granted: false });
      },
      async () => {
        const [id, one] = pick([...expectedWorkspaces]);
        one.name = newName();
        await update(id, { name: one.name });
      },
      async () => {
        const [id] = pick([...expectedWorkspaces]);
        expectedWorkspaces.delete(id);
        await remove(id);
      },
      async () => {
        const [id, one] = pick([...expectedWorkspaces]);
        one.project = pick(projects);
        await update(id, {}, one.project);
      },
      async () => {
        const [workspace, one] = pick([...expectedWorkspaces]);
        one.granted = !one.granted;
        await admin(one.granted ? 'grant-access' : 'revoke-access', {
          team: 'readers',
          workspace,
          ...(one.granted && { access: 'read' }),
        });
      },
      async () => {
        const project = pick(projects);
        const isGranted = granted.get(project) !== true;
        granted.set(project, isGranted);
        await admin(isGranted ? 'grant-access' : 'revoke-access', {
          team: 'readers',
          project,
          ...(isGranted && { access: 'write' }),
        });
      },
    ];

    for (let count = 0; count < 12; count++) await changes[0]?.();
    for (let step = 0; step < 150; step++) {
      pass(5 * SECOND);
      if (draw() < 0.5 && expectedWorkspaces.size > 0) await pick(changes)();
      else if (draw() < 0.15) {
        if (isFrozen) {
          index.thaw();
          pass(60 * SECOND);
        } else await index.freeze();
        isFrozen = !isFrozen;
      } else await check(!isFrozen);
    }
    index.thaw();
    pass(60 * SECOND);
    for (let count = 0; count < 10; count++) await check(true);
    expect(checked).toBeGreaterThan(50);
    // Proves that the index lagged where it mattered.
    expect(behind).toBeGreaterThan(0);
  });

  it('neither brings back nor hides a workspace that is deleted, restored and purged again and again', async () => {
    const draw = createSeededRandom(20_261_122);
    const statuses = new Map<string, 'alive' | 'deleted' | 'purged'>();
    let isFrozen = false;
    let behind = 0;

    const check = async (isExact: boolean): Promise<void> => {
      for (const status of ['alive', 'deleted'] as const) {
        const path = status === 'alive' ? LIST : '/organizations/acme/deleted-workspaces';
        const { status: code, body } = await api.request('GET', `${path}?page[size]=100`, { token: owner });
        expect(code).toBe(200);
        const expected = [...statuses.keys()].filter((id) => statuses.get(id) === status).sort();
        const shown = body.data.map(({ id }: { id: string }) => id).filter((id: string) => statuses.has(id));
        if (isExact) expect(shown.sort()).toEqual(expected);
        else expect(expected).toEqual(expect.arrayContaining(shown));
        if (shown.length < expected.length) behind++;
      }
    };
    const change = async (id: string): Promise<void> => {
      const isAlive = statuses.get(id) === 'alive';
      const isRestored = !isAlive && draw() < 0.7;
      const deleted = `/deleted-workspaces/${id}`;
      const [method, path] = isAlive ? ['DELETE', `/workspaces/${id}`] : ['DELETE', deleted];
      const { status } = isRestored
        ? await api.request('POST', `${deleted}/actions/restore`, { token: owner })
        : await api.request(method, path, { token: owner });
      expect(status).toBe(isRestored ? 200 : 204);
      statuses.set(id, isAlive ? 'deleted' : isRestored ? 'alive' : 'purged');
    };

    for (let count = 0; count < 5; count++) statuses.set(await create(`kept-${count}`), 'alive');
    for (let step = 0; step < 60; step++) {
      pass(5 * SECOND);
      const left = [...statuses.keys()].filter((id) => statuses.get(id) !== 'purged');
      const id = left[Math.floor(draw() * left.length)];
      if (draw() < 0.5)
        await (id === undefined ? create(`new-${step}`).then((it) => statuses.set(it, 'alive')) : change(id));
      else if (draw() < 0.2) {
        if (isFrozen) {
          index.thaw();
          pass(60 * SECOND);
        } else await index.freeze();
        isFrozen = !isFrozen;
      } else await check(!isFrozen);
    }
    index.thaw();
    pass(60 * SECOND);
    await check(true);
    expect(behind).toBeGreaterThan(0);
  });
});
