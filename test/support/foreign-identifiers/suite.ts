import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_PATH } from '../../../shared/routes/api.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import type { Route } from '../../../shared/routes/route.ts';
import type { ApiResponse } from '../api/api.ts';
import { countRounds } from '../engine/rounds.ts';
import { expectValidResponse } from '../models/arbitraries/arbitraries-checks.ts';
import { callers, type Sender, startTestbed, type Testbed } from './organizations.ts';
import {
  hasPointer,
  identifierKindForParameter,
  identifierKindsInPath,
  listPathParameters,
  minimalBodyFor,
  type Position,
  parsePointer,
  positionsFor,
  setAtPointer,
} from './positions.ts';
import { createAbsentIdentifier, type IdentifierKind, isHidden, type ResourceSet } from './resources.ts';
import { type Sample, type SampleContext, samplesFor } from './samples.ts';

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
const strays: readonly IdentifierKind[] = ['workspace id', 'workspace name', 'project id', 'username'];

/** The part of the routes that each function belongs to. The routes of a part share one testbed. */
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
  history: 'variables',
  'bulk-jobs': 'changes',
  variables: 'variables',
  organizations: 'directory',
  'sign-in': 'directory',
  projects: 'directory',
  teams: 'directory',
  integrations: 'records',
  fallback: 'directory',
  // The documentation is the same for every caller.
  documentation: 'none',
} as const satisfies Record<(typeof routes)[RouteId]['function'], string>;

/** Returns the part of a route. `users.update-account` renames the callers, so no other route shares its testbed. */
const findPart = (route: RouteId) => {
  // The endpoints of a sign-in and of OAuth 2.0 take no id of an organization. Their own tests compare refused exchanges.
  if (!routes[route].path.startsWith(BASE_PATH)) return 'none';
  return route === 'users.update-account' ? 'account' : partOfFunction[routes[route].function];
};

type Part = Exclude<ReturnType<typeof findPart>, 'none'>;

/** All parts. Together they contain every route that returns data of organizations. */
export const parts: readonly Part[] = [...new Set(routeIds.map(findPart))].filter((part) => part !== 'none');

/** Returns the senders of foreign ids to a route. Only an audit trails token can read the whole trail (HIST-13). */
const sendersFor = (route: RouteId): readonly [Sender, ...Sender[]] =>
  route === 'audit-trail.list' ? ['an audit trails token'] : callers;

/**
 * Defines tests in which callers with full access to their own resources send foreign ids and names in every position of
 * a request. The response for a resource of another organization, or a hidden one of the own organization, must equal
 * the response for an absent resource byte for byte, and a rejection must take the same rounds of the same calls between
 * the store and the engine (PERM-21). The response must not contain data of the foreign resource, and the request must not
 * write to it. Every route is tried. A route fails until `samples.ts` has a request that its schema alone cannot
 * provide.
 */
export const describeForeignIdentifiers = (part: Part): void => {
  // Reads come first, because writes may create own resources with the names of foreign ones.
  const served = routeIds
    .filter((route) => findPart(route) === part)
    .sort((one, other) => Number(routes[one].method !== 'GET') - Number(routes[other].method !== 'GET'));
  let testbed: Testbed;
  let preparation: Preparation;
  let requests = 0;
  /** Names that a request has given to a resource, so that they are no longer absent. */
  const given = new Set<string>();
  beforeAll(async () => {
    testbed = await startTestbed();
    if (served.some((route) => routes[route].function === 'history')) await testbed.recordHistory();
    preparation = createPreparation(testbed.own);
  });
  afterAll(async () => {
    await testbed.stop();
    console.info(`Foreign ids, ${part}: ${requests} requests`);
  });

  /** Sends a request with values in a position and returns the response, with `echo` and all generated values masked. */
  const sendMasked = async (
    caller: Sender,
    route: RouteId,
    position: Position,
    values: readonly string[],
    echo: readonly string[] = values,
  ): Promise<Seen> => {
    requests += 1;
    const { reply, names, rounds } = await attempt(
      testbed,
      preparation,
      caller,
      route,
      samplesFor(route),
      position,
      values,
    );
    const { headers } = routes[route] as Route;
    expectValidResponse(reply, JSON.stringify(values), headers?.['content-type']);
    const text = maskResponse(reply, testbed.own, names, echo);
    preparation.end(reply);
    const hidden = caller === 'a member' ? [...testbed.hidden.known()].filter(([, kind]) => isHidden(kind)) : [];
    const disclosed = [...testbed.foreign.known(), ...hidden].filter(([value]) => text.includes(value));
    expect(disclosed, 'foreign and hidden identifiers in the response').toEqual([]);
    if (isUnique(position) && reply.status < 300) for (const value of values) given.add(value);
    // An owner of both organizations may know what exists in them.
    const isSecret = reply.status >= 400 && caller !== 'an owner of both';
    return { response: JSON.parse(text), rounds: isSecret ? rounds : [] };
  };

  const warm = new Set<string>();
  /** Sends a request that the function of a route rejects, so that it has cached the caller before calls are counted. */
  const warmUp = async (caller: Sender, route: RouteId): Promise<void> => {
    const { function: name } = routes[route];
    if (warm.has(`${caller} ${name}`)) return;
    warm.add(`${caller} ${name}`);
    const named = routeIds.find((one) => routes[one].function === name && listPathParameters(one).length > 0);
    if (named === undefined) return;
    const slots = listPathParameters(named);
    const absent = await Promise.all(
      identifierKindsInPath(named).map(async (kind) => createAbsentIdentifier(await testbed.foreign.get(kind))),
    );
    await attempt(testbed, preparation, caller, named, samplesFor(named), { at: 'path', slots }, absent);
  };

  /** Responses to the first caller for absent identifiers, by position and kinds. */
  const firstAbsent = new Map<string, string>();
  /**
   * Creates a function that returns the response for absent identifiers in a position. Kinds with equal responses to the
   * first caller, such as those that the position does not take, are sent only once by the other callers.
   */
  const absentSender = (caller: Sender, route: RouteId, position: Position) => {
    const [first] = sendersFor(route);
    const responses = new Map<string, Seen>();
    return async (tried: readonly IdentifierKind[], foreign: readonly string[]): Promise<Seen> => {
      const name = `${route} ${position.at} ${position.slots.join()} ${tried.join()}`;
      const equal = firstAbsent.get(name) ?? name;
      const known = responses.get(equal);
      if (known !== undefined) return known;
      const absent = await sendMasked(caller, route, position, foreign.map(createAbsentIdentifier));
      responses.set(equal, absent);
      if (caller === first) firstAbsent.set(name, JSON.stringify(absent));
      return absent;
    };
  };

  const expectNoDisclosure = async (caller: Sender, route: RouteId, position: Position): Promise<void> => {
    const unique = isUnique(position);
    const sendAbsent = absentSender(caller, route, position);
    for (const tried of position.tries) {
      if (unique && tried.includes('organization name')) continue;
      // Usernames are unique among all organizations, so a conflict is the correct response.
      if (position.slots.includes('data/attributes/username') && tried.includes('username')) continue;
      const foreign = await Promise.all(tried.map(unique ? testbed.another : testbed.foreign.get));
      const absent = await sendAbsent(tried, foreign);
      const where = `${tried.join(', ')} in ${position.at} ${position.slots.join(', ')}`;
      expect(await sendMasked(caller, route, position, foreign), `another's ${where}`).toEqual(absent);
      if (caller !== 'a member' || !tried.every(isHidden) || unique) continue;
      const hidden = await Promise.all(tried.map(testbed.hidden.get));
      expect(await sendMasked(caller, route, position, hidden), `a hidden ${where}`).toEqual(absent);
    }
  };

  const expectMalformedIsAbsent = async (route: RouteId, position: Position): Promise<void> => {
    const [tried = []] = position.tries;
    const absent = (await Promise.all(tried.map(testbed.foreign.get))).map(createAbsentIdentifier);
    const [caller] = sendersFor(route);
    const { response: expected } = await sendMasked(caller, route, position, absent);
    const others = strays
      .filter((identifierKind) => !tried.includes(identifierKind))
      .map((identifierKind) => () => testbed.own.get(identifierKind));
    for (const get of [...oddities.map((text) => async () => text), ...others]) {
      const text = await get();
      const values = position.slots.map(() => text);
      // Nobody can have a malformed identifier, so it may be rejected with fewer reads.
      const { response } = await sendMasked(caller, route, position, values, []);
      if (position.at === 'path' && !given.has(text))
        expect(response, `${text} in ${position.slots.join(', ')}`).toEqual(expected);
    }
  };

  describe.each(served)('ids and names in %s', (route) => {
    it.runIf('conditional' in routes[route])('change one revision of a resource with If-Match (EDIT-3)', async () => {
      for (const sample of samplesFor(route)) {
        const sendIfMatch = async (tag: string) => {
          const headers = { 'if-match': tag };
          const nothing = { at: 'path', slots: [] } as const;
          const caller = sample.by ?? 'an owner';
          const { reply } = await attempt(testbed, preparation, caller, route, [sample], nothing, [], headers);
          return reply;
        };
        const rejected = await sendIfMatch('"0000000000000000"');
        expect(rejected.status, JSON.stringify(rejected.body)).toBe(412);
        const tag = rejected.headers['etag'];
        // A policy that does not exist has no entity tag. Some samples name another token or workspace in every request.
        if (tag === undefined || route === 'tokens.delete' || route === 'deleted-workspaces.restore') continue;
        const accepted = await sendIfMatch(tag);
        expect(accepted.status, JSON.stringify(accepted.body)).toBeLessThan(300);
        preparation.end(accepted);
      }
    });

    it('succeed when they belong to the caller', async () => {
      for (const sample of samplesFor(route)) {
        const { reply } = await attempt(testbed, preparation, sample.by ?? 'an owner', route, [sample]);
        const needs = `${route} needs another sample: ${JSON.stringify(reply.body)}`;
        expect(reply.status, needs).toBe(routes[route].status);
        preparation.end(reply);
      }
    });

    it.each(sendersFor(route))(
      'get the same response for foreign and absent resources, which stay unchanged, from: %s',
      async (caller) => {
        await warmUp(caller, route);
        const subjects = samplesFor(route).map(({ about }) => about);
        for (const position of positionsFor(route)) {
          // An owner of both may use foreign resources, except in a request about this organization.
          const isSubject = position.at !== 'body' || subjects.includes(position.slots[0]);
          if (caller === 'an owner of both' && isSubject) continue;
          await expectNoDisclosure(caller, route, position);
        }
        expect(await testbed.foreignWrites(caller)).toEqual([]);
      },
    );

    it('get the same response as absent resources when they are malformed', async () => {
      const named = positionsFor(route).filter(({ names }) => names);
      for (const position of named) await expectMalformedIsAbsent(route, position);
      expect(await testbed.foreignWrites('an owner')).toEqual([]);
    });
  });
};

/** Reports whether the position takes a unique name. A conflict reveals that such a name is taken, and it is usable once. */
const isUnique = ({ at, slots: [slot = ''] }: Position): boolean =>
  at === 'body' && /^data\/attributes\/key$|\/attributes\/(user)?name$/.test(slot);

/** Response to a request and, for a rejection, the rounds of calls to the engine: all that a caller can notice. */
interface Seen {
  readonly response: unknown;
  readonly rounds: readonly (readonly string[])[];
}

/** Preparation of the caller's own resources for the requests of one sample. */
interface Preparation {
  /** Prepares the resources, unless the previous request was of the same sample and left them unchanged. */
  readonly begin: (route: RouteId, sample: Sample, services: SampleContext) => Promise<void>;
  /** Discards the resources that a successful write may have changed. */
  readonly end: (reply: ApiResponse) => void;
}

/** Creates the preparation of the requests of samples. */
export const createPreparation = (own: ResourceSet): Preparation => {
  let current: { readonly route: RouteId; readonly sample: Sample } | undefined;
  const discard = (): void => {
    if (current === undefined) return;
    const { route, sample } = current;
    own.renew([...identifierKindsInPath(route), ...(sample.uses ?? [])]);
    current = undefined;
  };
  return {
    begin: async (route, sample, services) => {
      if (current?.route === route && current.sample === sample) return;
      if (current?.sample.prepare !== undefined) discard();
      own.renew(sample.uses ?? []);
      current = { route, sample };
      await sample.prepare?.(services);
    },
    end: ({ status }) => {
      if (current !== undefined && routes[current.route].method !== 'GET' && status < 300) discard();
    },
  };
};

interface Attempt {
  readonly reply: ApiResponse;
  /** Names that were created for the request. */
  readonly names: readonly string[];
  /** Calls between the store and the engine. */
  readonly rounds: readonly (readonly string[])[];
}

let made = 0;

/**
 * Sends a sample request with the values of a position replaced.
 */
export const attempt = async (
  { api, own, send }: Testbed,
  preparation: Preparation,
  caller: Sender,
  route: RouteId,
  samples: readonly [Sample, ...Sample[]],
  { at, slots }: Pick<Position, 'at' | 'slots'> = { at: 'path', slots: [] },
  values: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<Attempt> => {
  const names: string[] = [];
  const services: SampleContext = {
    get: own.get,
    newName: () => {
      names.push(`new-${++made}`);
      return `new-${made}`;
    },
    send: async (method, path, body, headers) => {
      const reply = await send('an owner', method, path, body, headers);
      if (reply.status >= 300) throw new Error(`${route} cannot be prepared: ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
    tagOf: async (path) => String((await send('an owner', 'GET', path)).headers['etag']),
    runWorkers: api.lambda.runDeferred,
  };
  const [slot = '', value = ''] = [slots[0], values[0]];
  const buildBody = async ({ body }: Sample): Promise<unknown> => (await body?.(services)) ?? minimalBodyFor(route);
  const chooseSample = async (): Promise<Sample> => {
    if (at !== 'body' || samples.length === 1) return samples[0];
    const bodies = await Promise.all(samples.map(buildBody));
    return samples[nearest(bodies, parsePointer(slot))] ?? samples[0];
  };
  const sample = await chooseSample();
  await preparation.begin(route, sample, services);
  const sampleBody = await buildBody(sample);
  const body = at === 'body' ? setAtPointer(route, sampleBody, parsePointer(slot), value) : sampleBody;

  const { method, path } = routes[route];
  const parameters = new Map(Object.entries((await sample.parameters?.(services)) ?? {}));
  for (const name of listPathParameters(route)) {
    const given = (at === 'path' ? values[slots.indexOf(name)] : undefined) ?? parameters.get(name);
    parameters.set(name, encodeSegment(given ?? (await own.get(identifierKindForParameter(route, name)))));
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters.get(name) ?? '');
  const query = new URLSearchParams({
    ...(await sample.query?.(services)),
    ...(at === 'query' && Object.fromEntries(slots.map((name, index) => [name, values[index] ?? '']))),
  });
  const allHeaders = { ...(await sample.headers?.(services)), ...headers };
  const { result: reply, rounds } = await countRounds(() =>
    send(caller, method, query.size === 0 ? filled : `${filled}?${query}`, body, allHeaders),
  );
  return { reply, names, rounds };
};

/** Finds the index of the first body that contains the longest prefix of the pointer. */
const nearest = (bodies: readonly unknown[], pointer: readonly string[]): number => {
  const found = bodies.findIndex((body) => hasPointer(body, pointer));
  return found >= 0 ? found : nearest(bodies, pointer.slice(0, -1));
};

const encodeSegment = (text: string): string => (text.startsWith('%') ? text : encodeURIComponent(text));

/** Serializes the response with every value that differs between requests replaced by a placeholder. */
const maskResponse = (
  { status, headers, body }: ApiResponse,
  own: ResourceSet,
  names: readonly string[],
  echo: readonly string[],
): string => {
  const masks = new Map<string, string>([
    ...[...own.known()].map(([value, identifierKind]): [string, string] => [value, `<own ${identifierKind}>`]),
    ...names.map((name): [string, string] => [name, '<new name>']),
    ...echo.map((value): [string, string] => [value, '<input>']),
  ]);
  const inQuery = (value: string): string => String(new URLSearchParams([['', value]])).slice(1);
  const spellings = [...masks]
    .flatMap(([value, mask]) =>
      [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), inQuery(value)])].map(
        (spelled) => [spelled, mask] as const,
      ),
    )
    .sort(([one], [other]) => other.length - one.length);
  const text = JSON.stringify({ status, headers: Object.entries(headers).sort(), body });
  return spellings
    .reduce((whole, [value, mask]) => whole.replaceAll(value, mask), text)
    .replaceAll(/\bhf[a-z]_\w{44}\b/g, '<token>')
    .replaceAll(/\b[a-z]+-[1-9A-HJ-NP-Za-km-z]{16}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
    .replaceAll(/\bX-Amz-(Date|Signature)=\w+/g, '<signature>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replaceAll(/\\"[\w-]{16}\\"/g, '<entity tag>');
};
