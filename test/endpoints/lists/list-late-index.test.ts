import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';
import { randomOf } from '../../support/models/seeded-random.ts';

/**
 * The index that lists are made from lags behind the table. A page never shows what is gone, renamed away or no longer
 * to be read; what is not on it yet comes when the index does. The clock is ours, so that no test waits for it.
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
const makeProject = async (name: string): Promise<string> => (await admin('create-project', { name })).project.id;
const create = async (name: string, project?: string): Promise<string> => {
  const relationships = project && { project: { data: { type: 'projects', id: project } } };
  const data = { type: 'workspaces', attributes: { name }, ...(relationships && { relationships }) };
  return (await api.request('POST', LIST, { token: owner, body: { data } })).body.data.id;
};
const update = (id: string, attributes: object, project?: string): Promise<Reply> => {
  const relationships = project && { project: { data: { type: 'projects', id: project } } };
  const data = { type: 'workspaces', attributes, ...(relationships && { relationships }) };
  return api.request('PATCH', `/workspaces/${id}`, { token: owner, body: { data } });
};
const remove = (id: string): Promise<Reply> => api.request('DELETE', `/workspaces/${id}`, { token: owner });
const list = (query: string, token = owner): Promise<Reply> => api.request('GET', `${LIST}?${query}`, { token });
const namesOf = ({ body }: Reply): string[] =>
  body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name);

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: time });
  engine = await startEngine();
  index = await startIndexProxy(engine);
  api = await startApi({ engine, endpoint: index.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  await admin('create-team', { name: 'readers' });
  await admin('add-member', { team: 'readers', username: 'grace' });
  ({ token: reader } = await api.admin('create-token', { kind: 'user', username: 'grace' }));
});
afterEach(async () => {
  index.thaw();
  // Whatever a test left in memory is too old now.
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

describe('while the index lags', () => {
  it.each(['warm', 'cold'])('a page shows nothing that is gone, with a %s list index', async (state) => {
    const ids = await Promise.all(Array.from({ length: 25 }, (_, number) => create(`w-${10 + number}`)));
    if (state === 'warm') await list('');
    await index.freeze();
    for (const id of ids.slice(0, 22)) await remove(id);
    const first = await list('page[size]=2');
    expect(first.status).toBe(200);
    expect(namesOf(first)).toEqual(['w-32', 'w-33']);
    expect(first.body.meta.pagination['total-count']).toBe(3);
  });

  it('a page shows new names, in their places, and no name that is searched for and gone', async () => {
    const ids = [await create('a-1'), await create('a-2'), await create('a-3')];
    await list('');
    await index.freeze();
    await update(ids[0] ?? '', { name: 'z-1' });
    expect(namesOf(await list('search[name]=a-'))).toEqual(['a-2', 'a-3']);
    expect(namesOf(await list('search[wildcard-name]=a-1'))).toEqual([]);
    expect(namesOf(await list(''))).toEqual(['a-2', 'a-3', 'z-1']);
    expect(namesOf(await list('search[name]=z-'))).toEqual(['z-1']);
  });

  it('a page shows nothing that was moved out of the project that is asked for', async () => {
    const [from, to] = [await makeProject('From'), await makeProject('Towards')];
    const id = await create('moved', from);
    await list('');
    await index.freeze();
    await update(id, {}, to);
    expect(namesOf(await list(`filter[project][id]=${from}`))).toEqual([]);
    expect(namesOf(await list(`filter[project][id]=${to}`))).toEqual(['moved']);
  });

  it('a page shows nothing whose grant was taken away, on the workspace at once, on the project within 5 s', async () => {
    const project = await makeProject('Granted');
    const own = await create('of-its-own');
    await create('of-the-project', project);
    await admin('grant-access', { team: 'readers', workspace: own, access: 'read' });
    await admin('grant-access', { team: 'readers', project, access: 'read' });
    pass(SECOND);
    expect(namesOf(await list('', reader))).toEqual(['of-its-own', 'of-the-project']);
    await index.freeze();
    await admin('revoke-access', { team: 'readers', workspace: own });
    expect(namesOf(await list('', reader))).toEqual(['of-the-project']);
    await admin('revoke-access', { team: 'readers', project });
    pass(4 * SECOND);
    const after = await list('', reader);
    expect(namesOf(after)).toEqual([]);
    expect(after.body.meta.pagination['total-count']).toBe(0);
  });

  it('what is new comes once the index has caught up, and the totals with it', async () => {
    await create('first');
    await list('');
    await index.freeze();
    await create('second');
    expect((await list('')).body.meta.pagination['total-count']).toBe(1);
    pass(2 * SECOND);
    index.thaw();
    const after = await list('');
    expect(namesOf(after)).toEqual(['first', 'second']);
    expect(after.body.meta.pagination['total-count']).toBe(2);
  });
});

describe('while eventual reads lag behind the index', () => {
  it('a page shows what the index says already, read as it is now', async () => {
    const [first, second, third] = [await create('a-1'), await create('a-2'), await create('a-3')];
    await list('');
    await index.freezeItems();
    await update(first, { name: 'b-1' });
    await remove(second);
    await update(third, { description: 'of no matter to lists' });
    const fourth = await create('a-4');
    const shown = await list('');
    expect(namesOf(shown)).toEqual(['a-3', 'a-4', 'b-1']);
    expect(shown.body.data.map(({ id }: { id: string }) => id)).toEqual([third, fourth, first]);
  });
});

/** What is true, for the histories below. */
interface Known {
  name: string;
  project: string;
  granted: boolean;
}

describe('a history', () => {
  it.each([1, 2, 3])(
    'of changes while the index lags now and then shows what is true in every answer: %i',
    async (seed) => {
      const draw = randomOf(seed);
      const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)] as T;
      const projects = [await makeProject(`First ${seed}`), await makeProject(`Second ${seed}`)];
      const granted = new Map(projects.map((id) => [id, false]));
      const known = new Map<string, Known>();
      let [named, isFrozen, checked, behind] = [0, false, 0, 0];
      const newName = (): string => `${pick(['red', 'blue', 'green'])}-${++named}`;
      const isReadable = ({ granted: own, project }: Known): boolean => own || granted.get(project) === true;

      const check = async (isExact: boolean): Promise<void> => {
        const token = pick([owner, reader]);
        const wanted = pick(['', 'red', 'blue', 'e']);
        const project = pick([undefined, undefined, ...projects]);
        const sort = pick(['name', '-name']);
        const expected = [...known.values()]
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
          const names = namesOf(reply);
          // In order, all of them true, none twice.
          expect(expected.filter((name) => names.includes(name))).toEqual(names);
          const total = reply.body.meta.pagination['total-count'];
          if (isExact) expect(total).toBe(expected.length);
          else if (total !== expected.length) behind++;
          shown.push(...names);
          checked++;
        }
        if (isExact) expect(shown).toEqual(expected);
      };

      const acts: readonly (() => Promise<unknown>)[] = [
        async () => {
          const [name, project] = [newName(), pick(projects)];
          known.set(await create(name, project), { name, project, granted: false });
        },
        async () => {
          const [id, one] = pick([...known]);
          one.name = newName();
          await update(id, { name: one.name });
        },
        async () => {
          const [id] = pick([...known]);
          known.delete(id);
          await remove(id);
        },
        async () => {
          const [id, one] = pick([...known]);
          one.project = pick(projects);
          await update(id, {}, one.project);
        },
        async () => {
          const [workspace, one] = pick([...known]);
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

      for (let count = 0; count < 12; count++) await acts[0]?.();
      for (let step = 0; step < 150; step++) {
        pass(5 * SECOND);
        if (draw() < 0.5 && known.size > 0) await pick(acts)();
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
      // Else the index never lagged where it mattered, and nothing was shown.
      expect(behind).toBeGreaterThan(0);
    },
  );
});
