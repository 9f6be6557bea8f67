import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { listWorkspaces } from '../../../../functions/workspace-list/list.ts';
import { listDeletedWorkspaces, listRecoverableItems } from '../../../../functions/workspace-list/list-deleted.ts';
import { showStatistics } from '../../../../functions/workspace-list/statistics.ts';
import { createHttpEvent } from '../../../../infra/local/gateway/http-event.ts';
import { editions } from '../../../../shared/domain/editions.ts';
import { createHandler } from '../../../../shared/http/stack.ts';
import { now } from '../../../../shared/lib/clock.ts';
import { base58 } from '../../../../shared/lib/random.ts';
import { readFilter } from '../../../../shared/list-index/filters.ts';
import { createListIndex } from '../../../../shared/list-index/list-index.ts';
import { readOrder } from '../../../../shared/list-index/query-values.ts';
import { type Row, rowFromWorkspace } from '../../../../shared/list-index/row.ts';
import type { Reading } from '../../../../shared/list-index/selection.ts';
import { computeStatistics } from '../../../../shared/list-index/statistics.ts';
import { createLogger } from '../../../../shared/logging/log.ts';
import { createMeter } from '../../../../shared/logging/meter.ts';
import { routeKey, routes } from '../../../../shared/routes/index.ts';
import { openActivityReader } from '../../../../shared/store/history/activity-reader.ts';
import { openStore, withListIndexes } from '../../../../shared/store/store.ts';
import { openAdmin } from '../../api/admin.ts';
import { newWorkspace } from '../../api/new-workspace.ts';
import { type Seed, seedWorkspaces } from '../../api/seed-workspaces.ts';
import type { TestEngine } from '../../engine/engine.ts';
import { type Count, startCountingProxy } from '../../faults/counting-proxy.ts';
import { createSeededRandom } from '../seeded-random.ts';

/** Counts the work of lists in organizations of very different sizes. Counts do not depend on the machine. */

const ORGANIZATION = 'acme';
const HOUR = 3_600_000;
const TAGS = ['env', 'team', 'cost-center', 'region', 'legacy'];
const VALUES = ['prod', 'stage', 'dev'];
const WORDS = ['network', 'Billing', 'identity', 'search', 'payments', 'edge'];
const STATUSES = ['applied', 'planned', 'errored', 'policy_checked'];

export interface Parents {
  readonly projects: readonly string[];
  readonly teams: readonly string[];
}

/**
 * Workspaces as a large organization has them: a few tags and grants each, half of them with a run. Half of them last
 * changed at one and the same moment, as after an import, the others any time in the year before.
 */
export function* scaleSeeds(
  count: number,
  { projects, teams }: Parents,
  now: number,
  organization = ORGANIZATION,
): Generator<Seed> {
  const draw = createSeededRandom(count);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)] as T;
  for (let index = 0; index < count; index++) {
    const at = Math.floor(now - HOUR - draw() * 8_000 * HOUR);
    const keys = new Set([pick(TAGS), pick(TAGS), pick(TAGS)].slice(0, Math.floor(draw() * 4)));
    yield {
      organization,
      project: pick(projects),
      name: `${pick(WORDS)}-${pick(VALUES)}-${index}`,
      latestChangeAt: at,
      listedAt: index % 2 === 0 ? now - HOUR : at,
      tags: [...keys].map((key) => (draw() < 0.5 ? { key, at } : { key, value: pick(VALUES), at })),
      access: draw() < 0.3 ? { [pick(teams)]: 'write' } : {},
      ...(draw() < 0.5 && { runStatus: pick(STATUSES), runAt: at }),
    };
  }
}

/** Lists of which the cost is compared, as who they are made: each finds a full page, also of 100 workspaces. */
export const queries: readonly (readonly [who: 'owner' | 'member', query: string])[] = [
  ['owner', ''],
  ['owner', 'sort=-latest-change-at&page[number]=3'],
  ['owner', 'search[name]=prod&sort=-name'],
  ['owner', 'search[tags]=env&search[exclude-tags]=legacy'],
  ['owner', 'search[wildcard-name]=*-*-*&filter[tagged][0][key]=env'],
  ['owner', 'filter[current-run][status]=applied,errored,planned&sort=current-run.created-at'],
  ['member', ''],
  ['member', 'search[name]=e&sort=-current-run.created-at'],
];

export interface Listed extends Count {
  readonly total: number;
}

export interface ListMeasure {
  readonly workspaces: number;
  /** The first list of an instance, which loads everything. */
  readonly cold: Listed;
  /** Repetition of the lists without changes, in the order of `queries`. */
  readonly warm: readonly Listed[];
  /** Repetition of the statistics without changes. `total` is the number of workspaces. */
  readonly statistics: Readonly<Record<'owner' | 'member', Listed>>;
}

const makeParents = async ({ database }: Pick<TestEngine, 'database'>) => {
  const { admin } = openAdmin(database);
  const { token: owner } = await admin('create-organization', { name: ORGANIZATION, email: 'ada@example.com' });
  const [projects, teams]: string[][] = [[], []];
  for (let index = 0; index < 10; index++) {
    const { project } = await admin('create-project', { organization: ORGANIZATION, name: `project-${index}` });
    projects?.push(project.id);
  }
  await admin('create-user', { username: 'grace', email: 'grace@example.com' });
  for (let index = 0; index < 20; index++) {
    const { team } = await admin('create-team', { organization: ORGANIZATION, name: `team-${index}` });
    teams?.push(team.id);
    if (index < 3) await admin('add-member', { organization: ORGANIZATION, team: team.name, username: 'grace' });
  }
  for (const project of projects?.slice(0, 5) ?? []) {
    await admin('grant-access', { organization: ORGANIZATION, team: 'team-0', project, access: 'write' });
  }
  const { token: member } = await admin('create-token', { kind: 'user', username: 'grace' });
  return { parents: { projects: projects ?? [], teams: teams ?? [] }, tokens: { owner, member } };
};

/** The list function alone, as it runs in an instance of its own. Its requests return the number of workspaces. */
const openList = (database: TestEngine['database']) => {
  const services = {
    store: withListIndexes(openStore(database), database),
    database,
    features: editions['self-hosted'],
    logger: createLogger('workspace-list'),
    meter: createMeter(),
  };
  services.logger.setLogLevel('SILENT');
  const handler = createHandler(
    'workspace-list',
    {
      'workspaces.list': listWorkspaces,
      'organizations.statistics': showStatistics,
      'deleted-workspaces.list': listDeletedWorkspaces,
      'recoverable-items.list': listRecoverableItems,
    },
    { ...services, activity: openActivityReader(database, now), restorableDays: 14 },
  );
  return async (routeId: 'workspaces.list' | 'organizations.statistics', token: string, rawQueryString = '') => {
    const route = routes[routeId];
    const rawPath = route.path.replace('{organization_name}', ORGANIZATION);
    const event = createHttpEvent(
      {
        id: base58(16),
        method: 'GET',
        protocol: 'HTTP/1.1',
        rawPath,
        rawQueryString,
        rawHeaders: ['host', 'holdfast.test', 'authorization', `Bearer ${token}`],
        body: Buffer.alloc(0),
        sourceIp: '127.0.0.1',
        port: 443,
        receivedAt: new Date(),
      },
      { apiId: 'test', routeKey: routeKey(route), pathParameters: { organization_name: ORGANIZATION } },
    );
    const { statusCode, body = '' } = await handler(event, {} as never);
    if (statusCode !== 200) throw new Error(`The list returned ${statusCode}: ${body}`);
    const { data, meta } = JSON.parse(body);
    return (meta?.pagination['total-count'] ?? data.attributes['workspace-count']) as number;
  };
};

/** Seeds an organization of that size into a table of its own, and counts what its lists ask of DynamoDB. */
export const measureLists = async (engine: TestEngine, workspaces: number): Promise<ListMeasure> => {
  const tableName = await engine.createTable();
  const table = { ...engine, tableName, database: engine.open({ tableName }) };
  const { parents, tokens } = await makeParents(table);
  await seedWorkspaces(table, scaleSeeds(workspaces, parents, Date.now()), { named: false });

  const proxy = await startCountingProxy(engine.endpoint);
  const list = openList(engine.open({ tableName, client: { ...engine.client, endpoint: proxy.endpoint } }));
  const count = async (...request: Parameters<typeof list>): Promise<Listed> => {
    const { result, count } = await proxy.count(() => list(...request));
    return { ...count, total: result };
  };
  const cold = await count('workspaces.list', tokens.owner);
  const warm: Listed[] = [];
  for (const [who, query] of queries) {
    // What a page's projects grant is confirmed, and cached for some seconds.
    await list('workspaces.list', tokens[who], query);
    warm.push(await count('workspaces.list', tokens[who], query));
  }
  const countStatistics = (who: 'owner' | 'member') => count('organizations.statistics', tokens[who]);
  const statistics = { owner: await countStatistics('owner'), member: await countStatistics('member') };
  await proxy.stop();
  return { workspaces, cold, warm, statistics };
};

export interface ListIndexMeasure {
  /** Memory of a list index after a list in every order. */
  readonly megabytes: number;
  /** Median time of a search, as a ratio to a scan of all names. */
  readonly search: number;
  /**
   * Median time of a list with every kind of filter for a caller who may read only some rows, as a ratio to a scan of
   * all names.
   */
  readonly everything: number;
  /** Median times of the statistics, in milliseconds, for a caller who may read everything, and for one who may not. */
  readonly statistics: Readonly<Record<'all' | 'part', number>>;
}

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};
const memory = (): number => {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
};

const median = (work: () => unknown): number => {
  const times = Array.from({ length: 25 }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[12] ?? 0;
};

/** Measures a list index alone, filled as from the index: every row comes with texts and objects of its own. */
export const measureListIndex = (count: number): ListIndexMeasure => {
  const parents = {
    projects: Array.from({ length: 100 }, () => `prj-${base58(16)}`),
    teams: Array.from({ length: 100 }, () => `team-${base58(16)}`),
  };
  function* rows(): Generator<Row> {
    for (const seed of scaleSeeds(count, parents, Date.now())) {
      const workspace = { ...newWorkspace(seed, { name: seed.name }), ...seed };
      yield JSON.parse(JSON.stringify(rowFromWorkspace(workspace)));
    }
  }
  const before = memory();
  const listIndex = createListIndex();
  for (const row of rows()) listIndex.apply(row);
  const readingOf = (part: boolean): Reading => ({
    everything: !part,
    project: () => false,
    grants: (access) => (parents.teams[0] ?? '') in access || Object.keys(access).length === 0,
  });
  const select = (query: string, part = false) => {
    const parameters = new URLSearchParams(query);
    return listIndex.select({
      reading: readingOf(part),
      filter: readFilter(parameters),
      ...readOrder(parameters),
      from: 0,
      to: 20,
    });
  };
  for (const sort of ['name', 'latest-change-at', 'current-run.created-at']) select(`sort=${sort}`);
  const megabytes = memory() - before;

  const all = listIndex.byName();
  const scan = median(() => all.filter(({ name }) => name.toLowerCase().includes('prod-7')).length);
  const search = median(() => select('search[name]=prod-7'));
  const everything = median(() =>
    select(
      'search[name]=prod&search[wildcard-name]=*ing-*1*&search[tags]=env&search[exclude-tags]=legacy&filter[tagged][0][key]=team&filter[current-run][status]=applied&sort=-latest-change-at',
      true,
    ),
  );
  const context = { organization: { defaultExecutionMode: 'remote' }, releases: [] } as const;
  const countAll = (part: boolean) =>
    computeStatistics(listIndex.searched, {
      reading: readingOf(part),
      context,
      productionTag: { key: 'env', value: 'prod' },
      now: now(),
    });
  const statistics = { all: median(() => countAll(false)), part: median(() => countAll(true)) };
  return { megabytes, search: search / scan, everything: everything / scan, statistics };
};
