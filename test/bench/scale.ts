import { listPartition, shardOf } from '../../shared/store/dynamodb/keys.ts';
import { restAfter, WINDOWS } from '../../shared/store/list-index/list-index-store.ts';
import { MANY_ROWS } from '../../shared/store/list-index/read-list-index.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';
import {
  delta,
  listPage,
  type OperationName,
  operations,
  type Remembered,
  ROW_BYTES,
  request,
  SOMEBODY,
  type Subject,
} from './demand.ts';
import { limits, type Part, partitionsOf, type Request, simulate } from './partitions.ts';

/**
 * What the keys of the product do to DynamoDB's partitions at sizes that no single machine shows: simulated, with seeds,
 * so that it is the same each time. `npm run prove -- scale` prints all of it.
 */

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Ids as the product makes them. */
const idsOf = (prefix: string, count: number, draw: () => number): string[] =>
  Array.from(
    { length: count },
    () => prefix + Array.from({ length: 16 }, () => BASE58[Math.floor(draw() * BASE58.length)]).join(''),
  );

/** What is kept for a burst: nothing at the beginning, or all that can be. */
const kept = {
  empty: { seconds: limits.burstSeconds, atStart: 0 },
  full: { seconds: limits.burstSeconds, atStart: limits.burstSeconds },
};

/** Units that a listed change takes of the index: the row is deleted where it was, and put at the end. */
const CHANGE_UNITS = 2;
/** Of which a load of changes is, unless it says otherwise. */
const WORKSPACES = 20_000;

/** Requests that are refused, of a thousand, before a load counts as throttled. */
const TOLERATED = 0.001;

/** The greatest rate, to one in a hundred, at which no more than that is refused. */
const greatest = (from: number, to: number, refusedAt: (rate: number) => number): number => {
  let [low, high] = [from, to];
  while (high - low > Math.max(1, low / 100)) {
    const middle = Math.floor((low + high) / 2);
    if (refusedAt(middle) <= TOLERATED) low = middle;
    else high = middle;
  }
  return low;
};

/** Changes of workspaces of one organization that lists show: a tag, a run that goes on. */
const changesOf = (
  rate: number,
  shards: number,
  workspaces: readonly string[],
  seed: number,
): ((second: number) => Request[]) => {
  const draw = createSeededRandom(seed);
  return () =>
    Array.from({ length: rate }, () => {
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
      return { name: 'change', parts };
    });
};

export interface IndexLimit {
  readonly shards: number;
  /** Workspaces that the changes are of, all as likely. */
  readonly workspaces: number;
  /** Listed changes a second with at most one in a thousand refused, nothing kept for a burst at the beginning. */
  readonly steady: number;
  /** Of all these workspaces, the part in the fullest partition of the index: the product's own hash of real ids. */
  readonly fullest: number;
}

const changing = (rate: number, shards: number, ids: readonly string[]) => ({
  requestsAt: changesOf(rate, shards, ids, rate),
  // Warm, and the shards long since apart: what is looked for is what they take in the end.
  partitions: { table: partitionsOf(0, 4 * rate, 0), list: 4 * shards },
  settlingSeconds: 4,
});

/** How many listed changes one organization's index takes. */
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

/** For how many seconds an index takes that much, after five minutes in which nothing was written. */
const burstOf = (shards: number, rate: number): number => {
  const ids = idsOf('ws-', WORKSPACES, createSeededRandom(shards));
  const seconds = limits.burstSeconds + 10;
  return simulate({ ...changing(rate, shards, ids), seconds, burst: kept.full }).firstRefusal ?? seconds;
};

export interface Throttling {
  readonly shards: number;
  readonly rate: number;
  readonly throttled: number;
}

/** What is refused of so many listed changes a second in one organization. */
const throttlingAt = (shards: number, rate: number, seconds: number): Throttling => ({
  shards,
  rate,
  throttled: simulate({
    seconds,
    ...changing(rate, shards, idsOf('ws-', WORKSPACES, createSeededRandom(1))),
    burst: kept.empty,
  }).throttled,
});

/** Of a hundred requests, what they are: mostly reads, and the runs of pipelines. */
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

/** Those of them that lists show. */
const CHANGES = ['run report', 'run report that postpones auto-destroy', 'add tag', 'create'] as const;

/** How long an instance is busy with a request, in seconds, and so how many requests a second it answers. */
const BUSY_SECONDS = 0.05;
/** The workspaces of the organization that changes much. */
const LISTED = 1_000_000;

/** Rows that changed within so many seconds: one that changed twice is one. */
const changedIn = (seconds: number, changes: number, workspaces: number): number =>
  workspaces * (1 - Math.exp((-changes * seconds) / workspaces));

interface Looking {
  /** Seconds between two looks of a busy instance. */
  readonly every: number;
  /** Rows that a look brings on average: a wide window is read page by page, while others look through the narrow one. */
  readonly rows: number;
}

/** How an instance that lists all the time looks for changes, by the product's own windows. @param rests whether it rests. */
const lookingAt = (changes: number, workspaces: number, rests = true): Looking => {
  const seen = (every: number, back: number): number => changedIn(back / 1_000 + every, changes, workspaces);
  const [, { back: usual }] = WINDOWS;
  const every = Math.max(BUSY_SECONDS, rests ? restAfter(seen(BUSY_SECONDS, usual)) / 1_000 : 0);
  let rows = 0;
  let before = 1;
  for (const window of [...WINDOWS].reverse()) {
    const pause = seen(0, window.back) > MANY_ROWS ? window.everyIfMany : window.every;
    const part = Math.min(before, pause === 0 ? 1 : (1_000 * every) / pause);
    rows += part * seen(Math.max(every, pause / 1_000), window.back);
    before -= part;
  }
  return { every, rows };
};
const PAGE = 20;

export interface Crowd {
  readonly organizations: number;
  readonly workspaces: number;
  /** Each with a token of their own. */
  readonly users: number;
  /** Of each organization. */
  readonly shards: number;
  readonly projects: number;
  /** For how many seconds an instance caches what it has read. */
  readonly remembered: { readonly [R in Remembered]: number };
  /** Whether instances look for changes with each list, however many there are. */
  readonly isRestless?: boolean;
}

/**
 * Whether an instance has read it lately, of so many that are asked for as often: it is asked for one of them `seconds /
 * BUSY_SECONDS / others` times while it is cached, and reads it once.
 */
const isRecalled = (seconds: number, others: number, draw: () => number): boolean =>
  draw() > 1 / (1 + seconds / BUSY_SECONDS / others);

/** The mix, by callers and for workspaces that are all as likely. Only the ids that are drawn are made. */
const crowd = (
  rate: number,
  { organizations, workspaces, users, shards, projects, remembered, isRestless = false }: Crowd,
  seed: number,
): ((second: number) => Iterable<Request>) => {
  const draw = createSeededRandom(seed);
  const names = Object.entries(mix).flatMap(([name, share]) => Array<string>(share).fill(name));
  const changes = (rate / organizations) * (CHANGES.reduce((sum, name) => sum + mix[name], 0) / 100);
  const looking = lookingAt(changes, workspaces / organizations, !isRestless);
  const pick = (count: number): number => Math.floor(draw() * count);
  const [own, members] = [workspaces / organizations, users / organizations];
  const distinct: { readonly [R in Remembered]: number } = {
    caller: users,
    organization: organizations,
    project: organizations * projects,
  };
  const kinds = Object.keys(distinct) as Remembered[];
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
        remembers: kinds.filter((kind) => isRecalled(remembered[kind], distinct[kind], draw)),
      };
      const name = names[pick(names.length)] as OperationName | 'list';
      if (name !== 'list') {
        yield request(name, subject);
        continue;
      }
      const page = Array.from({ length: PAGE }, () => `ws-${organization * own + pick(own)}`);
      const looks = organizations > 1 || draw() < BUSY_SECONDS / looking.every;
      yield { name, parts: listPage({ ...subject, shards: looks ? shards : 0 }, page, looking.rows) };
    }
  };
};

export interface CrowdLimit {
  readonly name: string;
  readonly rate: number;
  /** Of the requests of each kind, those that were refused. */
  readonly throttled: number;
  readonly writesThrottled: number;
  readonly listsThrottled: number;
  /** Where most of them were refused. */
  readonly refusedBy: string | undefined;
  /** What the busiest partition of the table is asked for, of what it takes. */
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
    // Warm: it has taken that load before, or its warm throughput was set to it.
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
    refusedBy: most && patternOf(most.key),
    busiest: Math.max(hottest.reads, hottest.writes),
    busiestKey: patternOf(hottest.key),
  };
};

export interface HotWorkspace {
  /** Locks and unlocks of one workspace a second, half each. */
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
  /** Until the last of them has its list index, in seconds. */
  readonly seconds: number;
  /** Of the lists of instances that are warm, those refused meanwhile. */
  readonly listsThrottled: number;
  /** Read units of the index, in all. */
  readonly units: number;
}

const LIST_INDEX_ROWS = 100_000;
/** What an instance takes in a second, in bytes: four lanes a partition, 1 MB a page. */
const INSTANCE_BYTES = 60 * 2 ** 20;
const PAGE_BYTES = 2 ** 20;
/** Rows that changed in the 15 minutes that a snapshot is followed by, and lists of warm instances a second. */
const CHANGED_ROWS = 2_000;
const WARM_LISTS = 50;
/** A longer load is not waited for. */
const MOST_SECONDS = 600;

/** So many instances start at once, each with an organization of 100,000 workspaces to get to know. */
const coldLoads = (instances: number, shards: number, from: ColdLoads['from']): ColdLoads => {
  const rows = from === 'index' ? LIST_INDEX_ROWS : CHANGED_ROWS;
  const pages = Math.max(1, Math.ceil((rows / shards) * (ROW_BYTES / PAGE_BYTES)));
  const readUnits = (0.5 * Math.ceil(((rows / shards) * ROW_BYTES) / 4_096)) / pages;
  const left = Array.from({ length: instances }, () => Array<number>(shards).fill(pages));
  const perSecond = Math.max(1, Math.floor(INSTANCE_BYTES / PAGE_BYTES / shards));
  let isLoaded = false;
  let units = 0;
  let last = 0;
  const requestsAt = function* (second: number): Generator<Request> {
    if (isLoaded) return;
    // Side by side: each instance gets as far as the others, and lists come in between.
    for (let turn = 0; turn < perSecond; turn++) {
      for (let index = 0; index < WARM_LISTS / perSecond; index++) {
        yield { name: 'list', parts: delta({ organization: 'acme', shards }, 7) };
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

/** So many that no two of a few hot keys share one, as DynamoDB would have taken them apart. */
const APART = { list: 4_096 };

/** Lists of one organization a second, while so much of it changes, that its index can still be asked for. */
export interface ListLimit {
  readonly shards: number;
  readonly changes: number;
  readonly lists: number;
}

const listLimit = (shards: number, changes: number): ListLimit => {
  const { every, rows } = lookingAt(changes, LISTED);
  const refusedAt = (rate: number): number => {
    const draw = createSeededRandom(1);
    const lists = (): Request[] =>
      Array.from({ length: rate }, () => {
        const looks = draw() < BUSY_SECONDS / every;
        return { name: 'list', parts: looks ? delta({ organization: 'acme', shards }, rows) : [] };
      });
    return simulate({ seconds: 10, requestsAt: lists, partitions: APART, burst: kept.empty }).throttled;
  };
  return { shards, changes, lists: greatest(1, 10_000, refusedAt) };
};

/** Patience of DynamoDB, in seconds, before it splits what is hot: it says "sustained"; taken for a minute. */
const HEAT_SECONDS = 60;

const firstMinutes = (rate: number, minutes: number): number[] => {
  const requestsAt = crowd(rate, MANY, 1);
  const refused = Array.from({ length: minutes }, () => 0);
  simulate({
    seconds: 60 * minutes,
    heatSeconds: HEAT_SECONDS,
    burst: kept.empty,
    requestsAt: function* (second) {
      const minute = Math.floor(second / 60);
      const answered = (isGranted: boolean): void => {
        if (!isGranted) refused[minute] = (refused[minute] ?? 0) + 1;
      };
      for (const one of requestsAt(second)) yield { ...one, answered };
    },
  });
  return refused.map((count) => count / (60 * rate));
};

/** For how many seconds each record is cached by default. */
const AS_IT_COMES = { caller: 4, organization: 0, project: 0 };
/** With organizationCacheMilliseconds at 250. */
const CACHING = { ...AS_IT_COMES, organization: 0.25, project: 0.25 };
const MANY: Crowd = {
  organizations: 100_000,
  workspaces: 1_000_000,
  users: 200_000,
  projects: 2,
  shards: 4,
  remembered: AS_IT_COMES,
};
const ONE: Crowd = { ...MANY, organizations: 1, users: 2_000, projects: 50 };
const SPREAD: Crowd = { ...ONE, shards: 16, remembered: CACHING };
const CROWD_SECONDS = 5;
const REQUESTS = 10_000;

/** How often a second one key can be asked for something, before its partition refuses, split or not. */
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

export interface Scale {
  readonly keyLimits: readonly KeyLimit[];
  readonly indexLimits: readonly IndexLimit[];
  /** Of four shards: seconds of twice what they take steadily. */
  readonly burstSeconds: number;
  readonly throttling: readonly Throttling[];
  readonly crowds: readonly CrowdLimit[];
  readonly listLimits: readonly ListLimit[];
  readonly coldLoads: readonly ColdLoads[];
  readonly hotWorkspace: readonly HotWorkspace[];
  /** Of a table that nothing has warmed, what is refused in each of its first minutes. */
  readonly firstMinutes: readonly number[];
}

/** All of it. @param seconds that each load of changes is simulated for. */
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
    ['one organization, 16 shards', { ...SPREAD, remembered: AS_IT_COMES }] as const,
    ['one organization, 16 shards, cache of 250 ms', SPREAD] as const,
    ['one organization, 16 shards, cache of 250 ms, one token', { ...SPREAD, users: 1 }] as const,
    [
      'one organization, 16 shards, cache of 250 ms, every list reads the changes',
      { ...SPREAD, isRestless: true },
    ] as const,
  ].map(([name, of]) => crowdLimit(name, REQUESTS, of, CROWD_SECONDS)),
  listLimits: [0, 100, 800, 2_000].flatMap((changes) => [4, 16].map((shards) => listLimit(shards, changes))),
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
