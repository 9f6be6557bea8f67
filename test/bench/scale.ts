import { listPartition, shardOf } from '../../shared/store/dynamodb/keys.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';
import {
  type CachedRecord,
  delta,
  listPage,
  type OperationName,
  operations,
  ROW_BYTES,
  request,
  SOMEBODY,
  type Subject,
} from './demand.ts';
import { type HistoryWrites, measureHistoryWrites, measureRecording, type Recording } from './history-load.ts';
import { type ListPages, measureListPages, PAGE_BYTES } from './list-pages.ts';
import { limits, type Part, partitionsOf, type Request, simulate } from './partitions.ts';
import { measurePublishing, type Publishing } from './stream.ts';

/**
 * Simulates the load that the product's keys put on DynamoDB partitions at sizes that no single machine reaches. Seeds
 * make the result reproducible. `npm run prove -- scale` prints it.
 */

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Draws ids in the product's format. */
const idsOf = (prefix: string, count: number, draw: () => number): string[] =>
  Array.from(
    { length: count },
    () => prefix + Array.from({ length: 16 }, () => BASE58[Math.floor(draw() * BASE58.length)]).join(''),
  );

/** Burst capacity at the start: none, or the maximum. */
const kept = {
  empty: { seconds: limits.burstSeconds, atStart: 0 },
  full: { seconds: limits.burstSeconds, atStart: limits.burstSeconds },
};

/** Write units of a listed change in the index: its row is deleted and inserted at the end. */
const CHANGE_UNITS = 2;
/** Default number of workspaces that a load of changes is distributed over. */
const WORKSPACES = 20_000;

/** Fraction of throttled requests above which a load counts as throttled. */
const TOLERATED = 0.001;

/** Finds the greatest rate, within 1 %, at which the throttled fraction is tolerated. */
const greatest = (from: number, to: number, rejectedAt: (rate: number) => number): number => {
  let [low, high] = [from, to];
  while (high - low > Math.max(1, low / 100)) {
    const middle = Math.floor((low + high) / 2);
    if (rejectedAt(middle) <= TOLERATED) low = middle;
    else high = middle;
  }
  return low;
};

/**
 * Generates changes of workspaces of one organization that change their list index row, such as a tag or a run status.
 */
const changesOf = (
  rate: number,
  shards: number,
  workspaces: readonly string[],
  seed: number,
): ((second: number) => Iterable<Request>) => {
  const draw = createSeededRandom(seed);
  return function* () {
    for (let index = 0; index < rate; index++) {
      const id = workspaces[Math.floor(draw() * workspaces.length)] as string;
      const parts: Part[] = [
        { space: 'table', key: `WS#${id}`, place: 'end', writeUnits: 2, readUnits: 0 },
        {
          space: 'list',
          key: listPartition.workspacesOf('acme', id, shards),
          place: 'end',
          writeUnits: CHANGE_UNITS,
          readUnits: 0,
        },
      ];
      yield { name: 'change', parts };
    }
  };
};

export interface IndexLimit {
  readonly shards: number;
  /** Number of workspaces that the changes are distributed over evenly. */
  readonly workspaces: number;
  /** Listed changes per second with at most 0.1 % throttled and no burst capacity at the start. */
  readonly steady: number;
  /** Fraction of the workspaces in the largest shard, by the product's hash of real ids. */
  readonly fullest: number;
}

const changing = (rate: number, shards: number, ids: readonly string[]) => ({
  requestsAt: changesOf(rate, shards, ids, rate),
  // A warm table whose shards are in separate partitions: the measured rate is the permanent one.
  partitions: { table: partitionsOf(0, 4 * rate, 0), list: 4 * shards },
  settlingSeconds: 4,
});

/** Measures the rate of listed changes that the index of one organization sustains. */
const indexLimit = (shards: number, workspaces: number, seconds: number): IndexLimit => {
  const ids = idsOf('ws-', workspaces, createSeededRandom(shards + workspaces));
  const ideal = (shards * limits.writeUnits) / CHANGE_UNITS;
  const counts = Array.from({ length: shards }, () => 0);
  for (const id of ids) counts[shardOf(id, shards)] = (counts[shardOf(id, shards)] ?? 0) + 1;
  return {
    shards,
    workspaces,
    steady: greatest(0.6 * ideal, 1.02 * ideal, (rate) => {
      return simulate({ ...changing(rate, shards, ids), seconds, burst: kept.empty }).throttled;
    }),
    fullest: Math.max(...counts) / ids.length,
  };
};

/** Measures for how many seconds an index sustains a rate after five minutes without writes. */
const burstOf = (shards: number, rate: number): number => {
  const ids = idsOf('ws-', WORKSPACES, createSeededRandom(shards));
  const seconds = limits.burstSeconds + 10;
  return simulate({ ...changing(rate, shards, ids), seconds, burst: kept.full }).firstRejection ?? seconds;
};

export interface Throttling {
  readonly shards: number;
  readonly rate: number;
  readonly throttled: number;
}

/** Measures the throttled fraction of listed changes at a rate in one organization. */
const throttlingAt = (shards: number, rate: number, seconds: number): Throttling => ({
  shards,
  rate,
  throttled: simulate({
    seconds,
    ...changing(rate, shards, idsOf('ws-', WORKSPACES, createSeededRandom(1))),
    burst: kept.empty,
  }).throttled,
});

/** Operations of a hundred requests: mostly reads, and the runs of pipelines. */
export const mix: Readonly<Record<OperationName | 'list', number>> = {
  'show by id': 45,
  'show by name': 10,
  list: 10,
  'list variables': 8,
  lock: 6,
  unlock: 6,
  'run report': 5,
  'create state version': 3,
  'update without listed change': 2,
  'create variable': 2,
  'add tag': 1,
  create: 1,
  'run report that postpones auto-destroy': 1,
};

/** Operations that change the list index row of a workspace. */
const CHANGES = [
  ...(['lock', 'unlock', 'run report', 'run report that postpones auto-destroy'] as const),
  ...(['add tag', 'create'] as const),
];

/** Seconds that an instance is busy with one request. */
const BUSY_SECONDS = 0.05;
/** Number of workspaces of the organization with many changes. */
const LISTED = 1_000_000;

const PAGE = 20;

export interface Crowd {
  readonly organizations: number;
  readonly workspaces: number;
  /** Number of users. Each has a token. */
  readonly users: number;
  /** Number of shards of each organization. */
  readonly shards: number;
  readonly projects: number;
  /** Seconds for which an instance caches each kind of record. */
  readonly cacheSeconds: { readonly [R in CachedRecord]: number };
  /** Whether instances query for changes with each list, without pauses. */
  readonly isRestless?: boolean;
}

/**
 * Draws whether a record is in the cache of an instance. An instance requests each of `others` equally frequent records
 * `seconds / BUSY_SECONDS / others` times while it is cached, and reads it once.
 */
const isRecalled = (seconds: number, others: number, draw: () => number): boolean =>
  draw() > 1 / (1 + seconds / BUSY_SECONDS / others);

/** Generates the request mix with evenly distributed callers and workspaces. Only drawn ids are created. */
const crowd = (
  rate: number,
  { organizations, workspaces, users, shards, projects, cacheSeconds, isRestless = false }: Crowd,
  seed: number,
): ((second: number) => Iterable<Request>) => {
  const draw = createSeededRandom(seed);
  const names = Object.entries(mix).flatMap(([name, share]) => Array<string>(share).fill(name));
  const changes = (rate / organizations) * (CHANGES.reduce((sum, name) => sum + mix[name], 0) / 100);
  const looking = measureListPages({
    shards,
    workspaces: workspaces / organizations,
    changes,
    every: BUSY_SECONDS,
    isRestless,
  });
  const pick = (count: number): number => Math.floor(draw() * count);
  const [own, members] = [workspaces / organizations, users / organizations];
  const distinct: { readonly [R in CachedRecord]: number } = {
    caller: users,
    organization: organizations,
    project: organizations * projects,
  };
  const kinds = Object.keys(distinct) as CachedRecord[];
  return function* () {
    for (let index = 0; index < rate; index++) {
      const organization = pick(organizations);
      const number = organization * own + pick(own);
      const user = organization * members + pick(members);
      const subject: Subject = {
        organization: `org-${organization}`,
        project: `prj-${organization}-${pick(projects)}`,
        workspace: `ws-${number}`,
        name: `name-${number}`,
        made: `made-${index}-${draw()}`,
        user: `user-${user}`,
        token: `token-${user}`,
        shards,
        cached: kinds.filter((kind) => isRecalled(cacheSeconds[kind], distinct[kind], draw)),
      };
      const name = names[pick(names.length)] as OperationName | 'list';
      if (name !== 'list') {
        yield request(name, subject);
        continue;
      }
      const page = Array.from({ length: PAGE }, () => `ws-${organization * own + pick(own)}`);
      const looks = organizations > 1 || draw() < BUSY_SECONDS / looking.updatesEvery;
      yield { name, parts: listPage({ ...subject, shards: looks ? shards : 0 }, page, looking.rows) };
    }
  };
};

export interface CrowdLimit {
  readonly name: string;
  readonly rate: number;
  /** Throttled fraction of the requests. */
  readonly throttled: number;
  readonly writesThrottled: number;
  readonly listsThrottled: number;
  /** Key that throttled the most requests. */
  readonly rejectedBy: string | undefined;
  /** Load of the busiest table partition as a fraction of its capacity. */
  readonly busiest: number;
  readonly busiestKey: string;
}

const patternOf = (key: string): string =>
  key.replace(/^(ORG#org-\d+#W)#\d+$/, '$1#shard').replace(/(?<=^|[#-])\d+(?=$|[#-])/g, 'n');

const WRITES: readonly OperationName[] = ['lock', 'unlock', 'create', 'add tag', 'run report', 'create state version'];

const crowdLimit = (name: string, rate: number, of: Crowd, seconds: number): CrowdLimit => {
  const { byName, throttled, refusals, spaces } = simulate({
    seconds,
    requestsAt: crowd(rate, of, 1),
    // A warm table: it has had this load before, or its warm throughput was set.
    partitions: {
      table: partitionsOf(of.workspaces * 4_096, 4 * rate, 4 * rate),
      list: partitionsOf(of.workspaces * ROW_BYTES, rate, 4 * rate),
    },
    burst: kept.empty,
    settlingSeconds: 10,
  });
  const share = (names: readonly string[]): number => {
    const tallies = names.flatMap((one) => byName[one] ?? []);
    const requested = tallies.reduce((sum, tally) => sum + tally.requested, 0);
    return requested === 0 ? 0 : tallies.reduce((sum, tally) => sum + tally.throttled, 0) / requested;
  };
  const { table, list } = spaces;
  const heat = ({ hottest }: typeof table): number => Math.max(hottest.reads, hottest.writes);
  const { hottest } = heat(list) > heat(table) ? list : table;
  const [most] = refusals;
  return {
    name,
    rate,
    throttled,
    writesThrottled: share(WRITES),
    listsThrottled: share(['list']),
    rejectedBy: most && patternOf(most.key),
    busiest: Math.max(hottest.reads, hottest.writes),
    busiestKey: patternOf(hottest.key),
  };
};

export interface HotWorkspace {
  /** Locks and unlocks of one workspace per second, half each. */
  readonly rate: number;
  readonly throttled: number;
}

const hotWorkspace = (rate: number): HotWorkspace => {
  const subject = {
    organization: 'acme',
    project: 'p',
    workspace: 'hot',
    name: 'hot',
    user: 'u',
    token: 't',
    shards: 4,
  };
  const requestsAt = (): Request[] =>
    Array.from({ length: rate }, (_, index) => request(index % 2 === 0 ? 'lock' : 'unlock', subject));
  const { throttled } = simulate({ seconds: 10, requestsAt, partitions: { table: 400 }, settlingSeconds: 10 });
  return { rate, throttled };
};

export interface ColdLoads {
  readonly instances: number;
  readonly shards: number;
  readonly from: 'index' | 'snapshot';
  /** Seconds until the last instance has loaded its list index. */
  readonly seconds: number;
  /** Throttled fraction of the lists of warm instances during the load. */
  readonly listsThrottled: number;
  /** Total read units of the index. */
  readonly units: number;
}

const LIST_INDEX_ROWS = 100_000;
/** Bytes per second that an instance reads, with four parallel ranges per shard and pages of 1 MB. */
const INSTANCE_BYTES = 60 * 2 ** 20;
/** Rows that changed since the snapshot, within 15 minutes, and lists of warm instances per second. */
const CHANGED_ROWS = 2_000;
const WARM_LISTS = 50;
/** Maximum simulated duration of a load. */
const MOST_SECONDS = 600;

/** Simulates instances that start together and each load the list index of an organization of 100,000 workspaces. */
const coldLoads = (instances: number, shards: number, from: ColdLoads['from']): ColdLoads => {
  const rows = from === 'index' ? LIST_INDEX_ROWS : CHANGED_ROWS;
  const pages = Math.max(1, Math.ceil((rows / shards) * (ROW_BYTES / PAGE_BYTES)));
  const readUnits = (0.5 * Math.ceil(((rows / shards) * ROW_BYTES) / 4_096)) / pages;
  const left = Array.from({ length: instances }, () => Array<number>(shards).fill(pages));
  const perSecond = Math.max(1, Math.floor(INSTANCE_BYTES / PAGE_BYTES / shards));
  const listParts = delta({ organization: 'acme', shards }, 7);
  let isLoaded = false;
  let units = 0;
  let last = 0;
  const requestsAt = function* (second: number): Generator<Request> {
    if (isLoaded) return;
    // All instances progress evenly, and the lists of warm instances are interleaved.
    for (let turn = 0; turn < perSecond; turn++) {
      for (let index = 0; index < WARM_LISTS / perSecond; index++) {
        yield { name: 'list', parts: listParts };
      }
      for (const instance of left) {
        for (let shard = 0; shard < shards; shard++) {
          if ((instance[shard] as number) === 0) continue;
          yield {
            name: 'load',
            parts: [
              { space: 'list', key: listPartition.workspaces('acme', shard), place: 'end', writeUnits: 0, readUnits },
            ],
            answered: (isGranted) => {
              if (!isGranted) return;
              instance[shard] = (instance[shard] as number) - 1;
              units += readUnits;
              last = second + 1;
            },
          };
        }
      }
    }
    isLoaded = left.every((instance) => instance.every((count) => count === 0));
  };
  const { byName } = simulate({ seconds: MOST_SECONDS, requestsAt, partitions: APART, burst: kept.empty });
  const { requested = 0, throttled = 0 } = byName['list'] ?? {};
  return { instances, shards, from, seconds: last, listsThrottled: throttled / requested, units };
};

/** Enough partitions that hot keys do not share one, because DynamoDB would have split them. */
const APART = { list: 4_096 };

/** Sustainable lists of one organization per second at a rate of changes. */
export interface ListLimit {
  readonly shards: number;
  readonly changes: number;
  readonly lists: number;
}

const listLimit = (shards: number, changes: number): ListLimit => {
  const { updatesEvery, rows } = measureListPages({ shards, workspaces: LISTED, changes, every: BUSY_SECONDS });
  const rejectedAt = (rate: number): number => {
    const draw = createSeededRandom(1);
    const parts = delta({ organization: 'acme', shards }, rows);
    const lists = (): Request[] =>
      Array.from({ length: rate }, () => {
        const looks = draw() < BUSY_SECONDS / updatesEvery;
        return { name: 'list', parts: looks ? parts : [] };
      });
    return simulate({ seconds: 10, requestsAt: lists, partitions: APART, burst: kept.empty }).throttled;
  };
  return { shards, changes, lists: greatest(1, 10_000, rejectedAt) };
};

/** Assumed seconds of sustained load before DynamoDB splits a hot partition. AWS gives no number. */
const HEAT_SECONDS = 60;

const firstMinutes = (rate: number, minutes: number): number[] => {
  const requestsAt = crowd(rate, MANY, 1);
  const rejected = Array.from({ length: minutes }, () => 0);
  simulate({
    seconds: 60 * minutes,
    heatSeconds: HEAT_SECONDS,
    burst: kept.empty,
    requestsAt: function* (second) {
      const minute = Math.floor(second / 60);
      const answered = (isGranted: boolean): void => {
        if (!isGranted) rejected[minute] = (rejected[minute] ?? 0) + 1;
      };
      for (const one of requestsAt(second)) yield { ...one, answered };
    },
  });
  return rejected.map((count) => count / (60 * rate));
};

/** Default cache durations of records in seconds. */
const AS_IT_COMES = { caller: 4, organization: 0, project: 0 };
/** Cache durations with `organizationCacheMilliseconds` set to 250. */
const CACHING = { ...AS_IT_COMES, organization: 0.25, project: 0.25 };
const MANY: Crowd = {
  organizations: 100_000,
  workspaces: 1_000_000,
  users: 200_000,
  projects: 2,
  shards: 4,
  cacheSeconds: AS_IT_COMES,
};
const ONE: Crowd = { ...MANY, organizations: 1, users: 2_000, projects: 50 };
const SPREAD: Crowd = { ...ONE, shards: 32, cacheSeconds: CACHING };
const CROWD_SECONDS = 5;
const REQUESTS = 10_000;

/** Maximum requests per second for one key, which splits do not raise. */
export interface KeyLimit {
  readonly key: string;
  readonly operation: string;
  readonly most: number;
}

const keyLimit = (key: string, operation: string, parts: readonly Part[], begins: string): KeyLimit => {
  const own = parts.filter((part) => part.key.startsWith(begins));
  const [writes, reads] = [sum(own, 'writeUnits'), sum(own, 'readUnits')];
  return { key, operation, most: Math.min(limits.writeUnits / writes, limits.readUnits / reads) };
};
const sum = (parts: readonly Part[], unit: 'writeUnits' | 'readUnits'): number =>
  parts.reduce((total, part) => total + part[unit], 0);

const keyLimits = (): KeyLimit[] => {
  const of = (name: OperationName): readonly Part[] => operations[name](SOMEBODY);
  return [
    keyLimit('token', 'any request with the token', of('show by id'), 'TOK#'),
    keyLimit('organization', 'any request in the organization', of('show by id'), 'ORG#acme'),
    keyLimit('project', 'any request for a workspace of the project', of('show by id'), 'PRJ#'),
    keyLimit('workspace', 'show', of('show by id'), 'WS#'),
    keyLimit('workspace', 'lock or unlock', of('lock'), 'WS#'),
    keyLimit('workspace', 'add tag, or other change of the workspace', of('add tag'), 'WS#'),
    keyLimit('shard of the index `list`', 'listed change', of('add tag'), 'ORG#acme#W#'),
    keyLimit('shard of the index `list`', 'create', of('create'), 'ORG#acme#W#'),
    keyLimit('shard of the index `list`', 'list without changes', delta({ ...SOMEBODY, shards: 1 }), 'ORG#acme#W#'),
    keyLimit('shard of the index `due`', 'postponed destroy run', of('run report that postpones auto-destroy'), 'DUE#'),
  ];
};

/** Units of 1,000 changes per second: two for the workspace, one for the pointer and one for the entry of each. */
const HISTORY_UNITS = 4_000;
const steady = { rate: 1_000, workspaces: WORKSPACES, hasBurst: false, failing: 0 };
const historyLoads = [
  { ...steady, name: 'table that has served the load before', partitions: partitionsOf(0, HISTORY_UNITS, 0) },
  {
    ...steady,
    name: 'table that has served the load before, 20 workspaces',
    workspaces: 20,
    partitions: partitionsOf(0, HISTORY_UNITS, 0),
  },
  { ...steady, name: 'new table that was idle for five minutes', partitions: limits.partitions, hasBurst: true },
  { ...steady, name: 'new table without burst capacity', partitions: limits.partitions },
];
const recordings = [
  { ...steady, name: 'no failures', partitions: limits.partitions },
  { ...steady, name: 'one attempt of 100 fails', partitions: limits.partitions, failing: 0.01 },
  {
    ...steady,
    name: 'one attempt of 100 fails, 20 workspaces',
    partitions: limits.partitions,
    workspaces: 20,
    failing: 0.01,
  },
];

export interface Scale {
  readonly keyLimits: readonly KeyLimit[];
  readonly indexLimits: readonly IndexLimit[];
  /** Seconds for which four shards sustain twice their permanent rate. */
  readonly burstSeconds: number;
  readonly throttling: readonly Throttling[];
  readonly crowds: readonly CrowdLimit[];
  readonly listLimits: readonly ListLimit[];
  readonly listPages: readonly ListPages[];
  readonly publishing: readonly Publishing[];
  readonly historyWrites: readonly HistoryWrites[];
  readonly recordings: readonly Recording[];
  readonly coldLoads: readonly ColdLoads[];
  readonly hotWorkspace: readonly HotWorkspace[];
  /** Throttled fraction in each of the first minutes of a new table. */
  readonly firstMinutes: readonly number[];
}

/** Runs all simulations. @param seconds simulated duration of each load of changes. */
export const measureScale = (seconds = 20): Scale => ({
  keyLimits: keyLimits(),
  indexLimits: [
    ...[4, 8, 16].map((shards) => indexLimit(shards, WORKSPACES, seconds)),
    ...[4, 16].map((shards) => indexLimit(shards, 200, seconds)),
  ],
  burstSeconds: burstOf(4, 4_000),
  throttling: [500, 1_000, 2_000, 4_000, 8_000].flatMap((rate) =>
    [4, 8, 16].map((shards) => throttlingAt(shards, rate, seconds)),
  ),
  crowds: [
    ['100,000 organizations', MANY] as const,
    ['one organization, 4 shards', ONE] as const,
    ['one organization, 32 shards', { ...SPREAD, cacheSeconds: AS_IT_COMES }] as const,
    ['one organization, 32 shards, cache of 250 ms', SPREAD] as const,
    ['one organization, 32 shards, cache of 250 ms, one token', { ...SPREAD, users: 1 }] as const,
    [
      'one organization, 32 shards, cache of 250 ms, every list reads the changes',
      { ...SPREAD, isRestless: true },
    ] as const,
  ].map(([name, of]) => crowdLimit(name, REQUESTS, of, CROWD_SECONDS)),
  listLimits: [0, 100, 500, 2_000].flatMap((changes) => [4, 16].map((shards) => listLimit(shards, changes))),
  listPages: [0, 100, 500, 2_000].flatMap((changes) =>
    [BUSY_SECONDS, 1, 10].map((every) => measureListPages({ shards: 4, workspaces: LISTED, changes, every })),
  ),
  publishing: [
    { rate: 500, workspaces: WORKSPACES, shards: 4 },
    { rate: 1_500, workspaces: WORKSPACES, shards: 4 },
    { rate: 2_000, workspaces: WORKSPACES, shards: 8 },
    { rate: 10, workspaces: 1, shards: 4 },
    { rate: 100, workspaces: 1, shards: 4 },
  ].map((load) => measurePublishing(load, 3 * seconds)),
  historyWrites: historyLoads.map((load) => {
    const ids = idsOf('evt-', 60 * load.rate, createSeededRandom(2));
    return measureHistoryWrites(load, idsOf('ws-', load.workspaces, createSeededRandom(1)), ids);
  }),
  recordings: recordings.map((load) => measureRecording(load, idsOf('ws-', load.workspaces, createSeededRandom(1)))),
  coldLoads: [10, 100].flatMap((instances) =>
    (
      [
        [4, 'index'],
        [16, 'index'],
        [4, 'snapshot'],
      ] as const
    ).map(([shards, from]) => coldLoads(instances, shards, from)),
  ),
  hotWorkspace: [400, 500, 600, 1_000].map(hotWorkspace),
  firstMinutes: firstMinutes(REQUESTS, 4),
});
