import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import type { ApiResponse } from '../api/api.ts';
import { expectAnswer } from '../models/arbitraries-checks.ts';
import {
  formOf,
  hasAt,
  leastBodyOf,
  type Position,
  parametersOf,
  pointerOf,
  positionsOf,
  withAt,
} from './foreign-positions.ts';
import { type Own, type Sample, samplesOf } from './foreign-samples.ts';
import { absentLike, type Form, isHidden, type Things } from './foreign-things.ts';
import { type Caller, callers, type Sender, startWorld, type World } from './foreign-world.ts';

/** Malformed ids and names. In a path, text that begins with `%` is sent without encoding. */
const oddities = [
  '..',
  '%00',
  '%2F',
  'a\0b',
  ' ',
  '*',
  '__proto__',
  'constructor',
  'toString',
  'größe-💥',
  'ws-',
  'ws-0OIl000000000000',
  'x'.repeat(300),
];

/** Ids and names of the caller's own resources, sent where another kind is expected. */
const strays: readonly Form[] = ['workspace id', 'workspace name', 'project id', 'username'];

/** The part of the routes that each function belongs to. The routes of a part share one world. */
const partOfFunction = {
  workspaces: 'workspaces',
  'workspace-list': 'workspaces',
  'workspace-locks': 'changes',
  'workspace-deletion': 'changes',
  'workspace-tags': 'tags',
  'state-versions': 'states',
  'remote-state-consumers': 'variables',
  'ssh-key': 'changes',
  'data-retention-policy': 'changes',
  runs: 'variables',
  variables: 'variables',
  organizations: 'directory',
  projects: 'directory',
  teams: 'directory',
  integrations: 'records',
  fallback: 'directory',
  // The same to everybody: it knows nothing of anybody.
  documentation: 'none',
} as const satisfies Record<(typeof routes)[RouteId]['function'], string>;

const partOf = (route: RouteId) => partOfFunction[routes[route].function];

type Part = Exclude<ReturnType<typeof partOf>, 'none'>;

/** All parts of the routes: together they have every route. */
export const parts: readonly Part[] = [...new Set(routeIds.map(partOf))].filter((part) => part !== 'none');

/**
 * A caller who may do anything with its own things names others, wherever a request can name anything. What is another
 * organization's, or hidden in its own, must be answered byte for byte as what is nowhere; nothing of it may turn up in
 * an answer, and nothing may be written to it. Every route of the route table is tried; one whose request cannot be read
 * off its schema needs a sample in `foreign-samples.ts`, and fails until it has one.
 */
export const describeForeign = (part: Part): void => {
  // What only reads comes first: what was named like another's is the organization's own from then on, and is found.
  const served = routeIds
    .filter((route) => partOf(route) === part)
    .sort((one, other) => Number(routes[one].method !== 'GET') - Number(routes[other].method !== 'GET'));
  let world: World;
  let requests = 0;
  /** Names that were taken for names: they are somewhere now. */
  const given = new Set<string>();
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    await world.stop();
    console.info(`Foreign ids, ${part}: ${requests} requests`);
  });

  /** Sends a request with values in a position, and gives the answer with `echo` and all that is new in it masked. */
  const say = async (
    caller: Caller,
    route: RouteId,
    position: Position,
    values: readonly string[],
    echo: readonly string[] = values,
  ): Promise<unknown> => {
    requests += 1;
    const { reply, names, used } = await attempt(world, caller, route, samplesOf(route), position, values);
    expectAnswer(reply, JSON.stringify(values));
    const text = masked(reply, world.own, names, echo);
    world.own.renew(used);
    for (const [value, form] of world.foreign.known()) expect(text, `another's ${form}`).not.toContain(value);
    if (isUnique(position) && reply.status < 300) for (const value of values) given.add(value);
    if (caller === 'a member') {
      for (const [value, form] of world.hidden.known()) {
        if (isHidden(form)) expect(text, `a hidden ${form}`).not.toContain(value);
      }
    }
    return JSON.parse(text);
  };

  const expectNothingTold = async (caller: Caller, route: RouteId, position: Position): Promise<void> => {
    const unique = isUnique(position);
    for (const tried of position.tries) {
      if (unique && tried.includes('organization name')) continue;
      const foreign = await Promise.all(tried.map(unique ? world.another : world.foreign.get));
      const absent = await say(caller, route, position, foreign.map(absentLike));
      const where = `${tried.join(', ')} in ${position.at} ${position.slots.join(', ')}`;
      expect(await say(caller, route, position, foreign), `another's ${where}`).toEqual(absent);
      if (caller !== 'a member' || !tried.every(isHidden) || unique) continue;
      const hidden = await Promise.all(tried.map(world.hidden.get));
      expect(await say(caller, route, position, hidden), `a hidden ${where}`).toEqual(absent);
    }
  };

  const expectTakenForNothing = async (route: RouteId, position: Position): Promise<void> => {
    const [tried = []] = position.tries;
    const absent = (await Promise.all(tried.map(world.foreign.get))).map(absentLike);
    const expected = await say('an owner', route, position, absent);
    const others = strays.filter((form) => !tried.includes(form)).map((form) => () => world.own.get(form));
    for (const get of [...oddities.map((text) => async () => text), ...others]) {
      const text = await get();
      const values = position.slots.map(() => text);
      const answer = await say('an owner', route, position, values, []);
      if (position.at === 'path' && !given.has(text))
        expect(answer, `${text} in ${position.slots.join(', ')}`).toEqual(expected);
    }
  };

  describe.each(served)('ids and names in %s', (route) => {
    it('succeed when they belong to the caller', async () => {
      for (const sample of samplesOf(route)) {
        const { reply, used } = await attempt(world, sample.by ?? 'an owner', route, [sample]);
        const needs = `${route} needs another sample: ${JSON.stringify(reply.body)}`;
        expect(reply.status, needs).toBe(routes[route].status);
        world.own.renew(used);
      }
    });

    it.each(callers)(
      'get the same response for foreign and absent resources, which stay unchanged, from: %s',
      async (caller) => {
        const subjects = samplesOf(route).map(({ about }) => about);
        for (const position of positionsOf(route)) {
          // Who may go there may name what is there: but not in a request about this organization's things.
          const isSubject = position.at !== 'body' || subjects.includes(position.slots[0]);
          if (caller === 'an owner of both' && isSubject) continue;
          await expectNothingTold(caller, route, position);
        }
        expect(await world.trespasses(caller)).toEqual([]);
      },
    );

    it('get the same response as absent resources when they are malformed', async () => {
      const named = positionsOf(route).filter(({ names }) => names);
      for (const position of named) await expectTakenForNothing(route, position);
      expect(await world.trespasses('an owner')).toEqual([]);
    });
  });
};

/** A name that must be unique tells, when it is taken, that it is: that cannot be hidden, and it can be given once. */
const isUnique = ({ at, slots: [slot = ''] }: Position): boolean =>
  at === 'body' && /^data\/attributes\/key$|\/attributes\/name$/.test(slot);

interface Attempt {
  readonly reply: ApiResponse;
  /** Names that were made up for it. */
  readonly names: readonly string[];
  /** Which of the caller's own things may no longer be as they were made. */
  readonly used: readonly Form[];
}

let made = 0;

/**
 * Sends what a sample says, but for the values of a position.
 */
const attempt = async (
  { own, send }: World,
  caller: Sender,
  route: RouteId,
  samples: readonly Sample[],
  { at, slots }: Pick<Position, 'at' | 'slots'> = { at: 'path', slots: [] },
  values: readonly string[] = [],
): Promise<Attempt> => {
  const names: string[] = [];
  const services: Own = {
    get: own.get,
    newName: () => {
      names.push(`new-${++made}`);
      return `new-${made}`;
    },
    send: async (method, path, body) => {
      const reply = await send('an owner', method, path, body);
      if (reply.status >= 300) throw new Error(`${route} cannot be prepared: ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
  };
  for (const { uses = [] } of samples) own.renew(uses);
  const [slot = '', value = ''] = [slots[0], values[0]];
  const bodies = await Promise.all(samples.map(({ body }) => body?.(services) ?? leastBodyOf(route)));
  const chosen = at === 'body' ? nearest(bodies, pointerOf(slot)) : 0;
  const { prepare, uses = [], ...sample } = samples[chosen] ?? {};
  await prepare?.(services);
  const body = at === 'body' ? withAt(route, bodies[chosen], pointerOf(slot), value) : bodies[chosen];

  const { method, path } = routes[route];
  const parameters = new Map(Object.entries((await sample.parameters?.(services)) ?? {}));
  for (const name of parametersOf(route)) {
    const given = (at === 'path' ? values[slots.indexOf(name)] : undefined) ?? parameters.get(name);
    parameters.set(name, segmentOf(given ?? (await own.get(formOf(name)))));
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters.get(name) ?? '');
  const query = new URLSearchParams({ ...(await sample.query?.(services)), ...(at === 'query' && { [slot]: value }) });
  const reply = await send(caller, method, query.size === 0 ? filled : `${filled}?${query}`, body);
  const isDone = method !== 'GET' && reply.status < 300;
  const used = isDone || prepare !== undefined ? [...parametersOf(route).map(formOf), ...uses] : [];
  return { reply, names, used };
};

/** The first body that says the most on the way to a pointer. */
const nearest = (bodies: readonly unknown[], pointer: readonly string[]): number => {
  const found = bodies.findIndex((body) => hasAt(body, pointer));
  return found >= 0 ? found : nearest(bodies, pointer.slice(0, -1));
};

const segmentOf = (text: string): string => (text.startsWith('%') ? text : encodeURIComponent(text));

/** The answer, with everything that may differ from one request to the next replaced by what it is. */
const masked = (
  { status, headers, body }: ApiResponse,
  own: Things,
  names: readonly string[],
  echo: readonly string[],
): string => {
  const masks = new Map<string, string>([
    ...[...own.known()].map(([value, form]): [string, string] => [value, `<own ${form}>`]),
    ...names.map((name): [string, string] => [name, '<new name>']),
    ...echo.map((value): [string, string] => [value, '<input>']),
  ]);
  const inQuery = (value: string): string => String(new URLSearchParams([['', value]])).slice(1);
  const spellings = [...masks]
    .flatMap(([value, mask]) =>
      [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), inQuery(value)].map(
        (spelled) => [spelled, mask] as const,
      ),
    )
    .sort(([one], [other]) => other.length - one.length);
  const text = JSON.stringify({ status, headers: Object.entries(headers).sort(), body });
  return spellings
    .reduce((whole, [value, mask]) => whole.replaceAll(value, mask), text)
    .replaceAll(/\bhf[utosr]_\w{44}\b/g, '<token>')
    .replaceAll(/\b[a-z]+-[1-9A-HJ-NP-Za-km-z]{16}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
    .replaceAll(/\bX-Amz-(Date|Signature)=\w+/g, '<signature>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>');
};
