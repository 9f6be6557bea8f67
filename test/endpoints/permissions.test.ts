import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RouteId, routeIds, routes } from '../../shared/routes.ts';
import type { Reply } from '../support/api.ts';
import {
  type Cell,
  cells,
  expectedPermissions,
  expectedStatuses,
  routesOf,
  callers as rows,
} from '../support/matrix.ts';
import { type Caller, ORGANIZATION, type Subject, startWorld, type World } from '../support/matrix-world.ts';

/** Every caller tries everything, and every answer's status is the one that the matrix says. */
let world: World;
let callers: ReadonlyMap<string, Caller>;
let asserted = 0;

const callerOf = (name: string): Caller => {
  const caller = callers.get(name);
  if (caller === undefined) throw new Error(`No caller ${name}`);
  return caller;
};

beforeAll(async () => {
  const started = await startWorld(rows);
  world = started.world;
  callers = new Map(started.callers.map((caller) => [caller.name, caller]));
});
afterAll(async () => {
  await world.stop();
  console.info(`Permission matrix: ${asserted} cells of ${rows.length} callers asserted`);
});

const names = rows.map(({ name }) => name);

/** A cell through one of its routes. */
type Attempt = (caller: Caller, route: RouteId) => Promise<Reply>;

const document = (attributes: object | undefined, project?: string) => ({
  data: {
    type: 'workspaces',
    ...(attributes && { attributes }),
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

const bare = (status: number, title: string) => ({ errors: [{ status: String(status), title }] });

/** What the keeper sees of a workspace. */
const look = async (subject: Subject): Promise<unknown> =>
  (await world.call('workspaces.show', world.keeper, subject)).body;

/** Tries, and has a refusal leave everything as it was, and tell no more than it may. */
const attempt = async (caller: Caller, subject: Subject, route: RouteId, body?: object): Promise<Reply> => {
  const reads = routes[route].method === 'GET';
  const before = reads ? undefined : await look(subject);
  const reply = await world.call(route, caller.token, subject, body);
  if (reply.status >= 400) {
    if (!reads) expect(await look(subject), `${caller.name}: ${route} was refused`).toEqual(before);
    expectDiscreet(caller, route, reply);
  }
  return reply;
};

/** A refusal names what is missing to those who may read the workspace; to the others nothing is there. */
const expectDiscreet = ({ name, permissions }: Caller, route: RouteId, { status, body }: Reply): void => {
  const said = `${name}: ${route}`;
  if (status === 401) expect(body, said).toEqual(bare(401, 'unauthorized'));
  if (status !== 404) return;
  if (permissions === undefined) expect(body, said).toEqual(bare(404, 'not found'));
  else expect(body.errors, said).toEqual([{ status: '404', title: 'not found', detail: expect.stringMatching(/\w/) }]);
};

const restore = async (subject: Subject, from: Reply, route: RouteId, body?: object): Promise<Reply> => {
  if (from.status < 300) await world.call(route, world.keeper, subject, body);
  return from;
};

let created = 0;
const create =
  (project?: 'home'): Attempt =>
  async ({ token, row }, route) => {
    const name = `created-${++created}`;
    const reply = await world.call(
      route,
      token,
      { id: '', name },
      document({ name }, project && world.projects[project]),
    );
    if (row === 'outsider') expect(reply.body).toEqual(bare(404, 'not found'));
    if (reply.status === 422) expect(reply.body.errors[0].source).toEqual({ pointer: '/data/relationships/project' });
    const { status } = await world.call('workspaces.show-by-name', world.keeper, { id: '', name });
    expect(status, 'whether it is there now').toBe(reply.status === 201 ? 200 : 404);
    return reply;
  };

const move =
  (target: 'hidden' | 'readable' | 'administered'): Attempt =>
  async (caller, route) => {
    if (target !== 'hidden') await world.openTargets(caller);
    const subject = await world.subjectOf(caller);
    const reply = await attempt(caller, subject, route, document(undefined, world.projects[target]));
    if (reply.status === 422) expect(reply.body.errors[0].source).toEqual({ pointer: '/data/relationships/project' });
    if (reply.status === 200) expect(reply.body.data.relationships.project.data.id).toBe(world.projects[target]);
    return restore(subject, reply, 'workspaces.update', document(undefined, world.projects.home));
  };

/** On a workspace that somebody has locked, and that nobody has when it is over. */
const whileLocked =
  (lock: (caller: Caller, subject: Subject) => Promise<unknown>): Attempt =>
  async (caller, route) => {
    const subject = await world.subjectOf(caller);
    await lock(caller, subject);
    const reply = await attempt(caller, subject, route);
    if (reply.status >= 400) await world.call('workspaces.force-unlock', world.keeper, subject);
    return reply;
  };
const lockByKeeper = (_: Caller, subject: Subject) => world.call('workspaces.lock', world.keeper, subject);

const show: Attempt = async (caller, route) => attempt(caller, await world.subjectOf(caller), route);

const remove: Attempt = async (caller, route) => {
  const subject = await world.subjectOf(caller);
  const reply = await attempt(caller, subject, route);
  if (reply.status !== 204) return reply;
  world.giveUp(caller);
  expect((await world.call('workspaces.show', world.keeper, subject)).status, 'whether it is still there').toBe(404);
  return reply;
};

const attempts: Readonly<Record<Cell, Attempt>> = {
  'create in the default project': create(),
  'create in the project': create('home'),
  show,
  list: async ({ token }, route) => world.call(route, token, { id: '', name: '' }),
  update: async (caller, route) =>
    attempt(caller, await world.subjectOf(caller), route, document({ description: `by ${caller.name}, ${route}` })),
  'move to a project without access': move('hidden'),
  'move to a project with read': move('readable'),
  'move to a project with admin': move('administered'),
  lock: async (caller, route) => {
    const subject = await world.subjectOf(caller);
    return restore(subject, await attempt(caller, subject, route), 'workspaces.force-unlock');
  },
  'unlock the own lock': whileLocked(async (caller, subject) => {
    // Where even more access than it has would not let it lock, somebody else's lock is as near as it gets.
    if (!(await world.lockAs(caller, subject))) await lockByKeeper(caller, subject);
  }),
  "unlock another's lock": whileLocked(lockByKeeper),
  'force-unlock': whileLocked(lockByKeeper),
  'safe-delete': remove,
  'force-delete': remove,
  'force-delete where admins may': remove,
  ping: async ({ token }, route) => world.call(route, token, { id: '', name: '' }),
};

describe('the matrix', () => {
  it('has every route of the route table', () => {
    expect(new Set(cells.flatMap((cell) => routesOf(cell)))).toEqual(new Set(routeIds));
  });
});

/** A page with everything that is to be listed. */
const list = async ({ token }: Caller) =>
  world.api.request('GET', `/organizations/${ORGANIZATION}/workspaces?page%5Bsize%5D=100`, { token });

// The rows come first: what is there is known as long as nobody has created or deleted anything.
describe('a list', () => {
  it.each(names)('shows %s exactly the workspaces that it may read, with its permissions', async (name) => {
    const caller = callerOf(name);
    const reply = await list(caller);
    if (caller.lists === undefined) {
      expect(reply.body).not.toHaveProperty('data');
      return;
    }
    const own = await world.subjectOf(caller);
    const inProject = await Promise.all([...callers.values()].map(world.subjectOf));
    const expected = {
      all: [...inProject, world.elsewhere],
      'those in the project': inProject,
      'the granted one': [own],
      none: [],
    }[caller.lists];
    expect(reply.body.data.map(({ id }: Subject) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
    expect(reply.body.meta.pagination['total-count']).toBe(expected.length);
    const row = reply.body.data.find(({ id }: Subject) => id === own.id);
    if (caller.permissions) expect(row.attributes.permissions).toEqual(expectedPermissions(caller, false));
  });
});

/** Tries the cells, and compares all of their answers at once. */
const expectAsTheMatrixSays = async (caller: Caller, tried: readonly Cell[]): Promise<void> => {
  const expected = expectedStatuses(caller);
  const [wanted, got]: Record<string, number>[] = [{}, {}];
  for (const cell of tried) {
    for (const route of routesOf(cell)) {
      const reply = await attempts[cell](caller, route);
      Object.assign(wanted ?? {}, { [`${cell}: ${route}`]: expected[cell] });
      Object.assign(got ?? {}, { [`${cell}: ${route}`]: reply.status });
      asserted += 1;
    }
  }
  expect(got).toEqual(wanted);
};

const whereAdminsMay: Cell = 'force-delete where admins may';

describe('every cell', () => {
  it.each(names)('is as the matrix says for %s', async (name) => {
    await expectAsTheMatrixSays(
      callerOf(name),
      cells.filter((cell) => cell !== whereAdminsMay),
    );
  });
});

describe('the permissions of an answer', () => {
  it.each(names.filter((name) => rows.find((row) => row.name === name)?.permissions))(
    'are those of %s, whichever way the workspace is answered',
    async (name) => {
      const caller = callerOf(name);
      const subject = await world.subjectOf(caller);
      const answers = await Promise.all(
        (['workspaces.show', 'workspaces.show-by-name'] as const).map((route) =>
          world.call(route, caller.token, subject),
        ),
      );
      answers.push(await world.call('workspaces.update', caller.token, subject, document({ description: 'Seen' })));
      answers.push(await world.call('workspaces.lock', caller.token, subject));
      answers.push(await world.call('workspaces.force-unlock', caller.token, subject));
      const documents = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.attributes);
      expect(documents.length).toBeGreaterThanOrEqual(2);
      for (const { permissions } of documents) expect(permissions).toEqual(expectedPermissions(caller, false));
    },
  );
});

// Last, because the setting is the whole organization's.
describe('where the organization lets workspace admins force delete', () => {
  beforeAll(() => world.letAdminsForceDelete(true));

  it.each(names)('the cell is as the matrix says for %s', async (name) => {
    const caller = callerOf(name);
    const shown = await world.call('workspaces.show', caller.token, await world.subjectOf(caller));
    if (caller.permissions) expect(shown.body.data.attributes.permissions).toEqual(expectedPermissions(caller, true));
    await expectAsTheMatrixSays(caller, [whereAdminsMay]);
  });
});
