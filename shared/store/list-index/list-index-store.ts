import type { Organization } from '../../domain/directory/records.ts';
import { DomainError } from '../../domain/errors.ts';
import { LATEST } from '../../domain/timestamps.ts';
import type { Clock } from '../../lib/clock.ts';
import { createSemaphore } from '../../lib/concurrency.ts';
import { backoff, retry } from '../../lib/retry.ts';
import { createListIndex, type ListIndex } from '../../list-index/list-index.ts';
import type { ProjectRow, Row } from '../../list-index/row.ts';
import type { Snapshot } from '../../list-index/snapshot.ts';
import { projectOf } from '../directory/directory-items.ts';
import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { lists, sortableTime } from '../dynamodb/keys.ts';
import { tagsOf } from '../workspaces/tag-items.ts';

/** What has to be known of an organization to list what is in it. */
export type Listed = Pick<Organization, 'name' | 'externalId' | 'shards' | 'spreadAt' | 'snapshotAt'>;

export interface ListIndexes {
  /** Brings a list index that is in memory already up to date; nothing happens to one that is not. */
  readonly refresh: (organization: string) => Promise<void>;
  /** An organization's list index, as current as its index; loaded, or brought up to date, unless `refresh` just was. */
  readonly open: (organization: Listed) => Promise<ListIndex>;
}

/** What list indexes of large organizations begin with. Neither throws, and neither takes long. */
export interface Snapshots {
  /** Undefined where there is none that could be used. */
  readonly read: (organization: Listed) => Promise<Snapshot | undefined>;
  /** Has one taken, also where there is a new one: `unusable` is from when one is that could not be used. */
  readonly ask: (organization: string, unusable?: number) => Promise<void>;
}

interface Loaded {
  readonly listIndex: ListIndex;
  readonly loadedAt: number;
  readonly shards: number;
  /** For each window the time up to which changes are known, so far as it reaches back. */
  readonly known: number[];
  /** For each window about how many rows changed within it. */
  readonly changed: number[];
  /** When it was brought up to date for a request that has not opened it yet. */
  refreshedAt: number | undefined;
  /** Until then nothing is looked for: the last look brought much. */
  restUntil: number;
}

/**
 * How far, in milliseconds, an update looks back from the one before it, and how often: a change is stamped before it is
 * written, clocks differ, and the index lags behind the table, all by milliseconds as a rule, while writers give up
 * after 8 s. The wider windows heal what the narrow ones missed. Nothing of it is read again once it is older than that,
 * however much changed at once: so a list in which nothing changes costs the same at any size.
 *
 * Where many changes lie in a window, `everyIfMany` is how often it is looked through: what is newer than the last look
 * is found all the same, and what comes late by more than the narrowest window a moment later.
 */
export const WINDOWS = [
  { back: 500, every: 0, everyIfMany: 0 },
  { back: 3_000, every: 0, everyIfMany: 1_000 },
  { back: 30_000, every: 5_000, everyIfMany: 5_000 },
  { back: 15 * 60_000, every: 60_000, everyIfMany: 60_000 },
] as const;
/**
 * Of rows that an update would read again more than so many are many: their keys are looked at first, and whole rows read
 * from the first that is not known. Otherwise every list in the seconds after an import would read all of it.
 */
export const MANY_ROWS = 100;
const USUAL = 1;
/** How far back what changed while a list index was loaded is looked for, and what changed since a snapshot. */
const AGAIN = WINDOWS[2].back;
const WIDEST = WINDOWS[3].back;
/**
 * Where more changes than this lie in the last three seconds, some 700 a second, nothing is looked for again for a
 * second. All lists of an organization meet where its newest rows are, and each reads the same ones: so what that place
 * is asked for grows with the instances, not with the lists.
 */
const MUCH = 2_000;
const REST = 1_000;
export const restAfter = (rows: number): number => (rows > MUCH ? REST : 0);
/** Tombstones live for 7 days; a list index starts anew long before it could miss one. */
const LIFETIME = 6 * 60 * 60_000;
/** A snapshot tells of no deletion since: it is of no use well before the first tombstone that it lacks may be gone. */
const SNAPSHOT_LIFETIME = 6 * 24 * 60 * 60_000;
/** An older one is used, and a new one asked for. */
export const SNAPSHOT_FRESH = 60 * 60_000;
/** Organizations with more rows have snapshots; what smaller ones have is read as quickly. */
export const SNAPSHOT_ROWS = 20_000;
/** Rows in memory, over all organizations; the least recently used go first. About 150 MB, a lot of tags 400 MB. */
const CAPACITY = 600_000;
/** For how long, in milliseconds, what `refresh` did is as good as new: the request that it was for may have ended early. */
const FRESH = 2_000;
/** How many ranges of one partition are read side by side while a list index is loaded. */
const LANES = 4;
/**
 * How many pages are under way at once, over all partitions, and how many rows each has. With more of either memory
 * grows, as a page takes many times its size while it is parsed, and nothing comes sooner: one processor takes them in.
 */
const PAGES = 4;
const PAGE_ROWS = 2_000;
/** Attempts to read a page, so that one refused page does not end a load, and the first pause between them in ms. */
const PAGE_ATTEMPTS = 3;
const PAGE_PAUSE = 200;

const rowOf = (item: Item): Row => ({
  id: String(item['id']),
  name: String(item['name']),
  project: String(item['prj']),
  access: item['acc'] as Row['access'],
  tags: tagsOf(item['tags']),
  runStatus: (item['rs'] ?? null) as Row['runStatus'],
  runAt: (item['ra'] ?? null) as Row['runAt'],
  latestChangeAt: Number(item['la']),
  hasVariables: item['hv'] !== undefined,
  hasLongText: item['x'] !== undefined,
  listedAt: Number(item['lk']),
  gone: item['gone'] !== undefined,
});

export const projectRowOf = (item: Item, organization: string): ProjectRow => {
  const { id, name, access, bindings, defaultExecutionMode, defaultAgentPool } = projectOf(item);
  return {
    id,
    name,
    organization,
    access,
    bindings,
    defaultExecutionMode,
    defaultAgentPool,
    listedAt: Number(item['lk']),
    gone: item['gone'] !== undefined,
  };
};

/** What is left of a deleted project. */
const tombstoneRowOf = (item: Item, organization: string): ProjectRow => ({
  id: String(item['id']),
  name: '',
  organization,
  access: {},
  bindings: [],
  defaultExecutionMode: null,
  defaultAgentPool: null,
  listedAt: Number(item['lk']),
  gone: true,
});

const take = (listIndex: ListIndex, organization: string, items: readonly Item[]): void => {
  for (const item of items) {
    if (item['ty'] === 'project') listIndex.applyProject(projectRowOf(item, organization));
    else if (item['ty'] === 'project-tombstone') listIndex.applyProject(tombstoneRowOf(item, organization));
    else listIndex.apply(rowOf(item));
  }
};

/**
 * Reads what there is in the index, or what of it changed since a time. How the rows of a partition lie in time nobody
 * knows: so whoever is not through with a range after a page gives the later half of what is left to a free lane.
 */
const readRows = async (
  database: Database,
  listIndex: ListIndex,
  { name, shards, spreadAt }: Pick<Listed, 'name' | 'shards' | 'spreadAt'>,
  now: number,
  since = 0,
): Promise<void> => {
  let pages = 0;
  const limitPages = createSemaphore(PAGES);
  const readPage = (...query: Parameters<Database['page']>): ReturnType<Database['page']> =>
    retry(() => database.page(...query), {
      attempts: PAGE_ATTEMPTS,
      pause: backoff(PAGE_PAUSE),
      retryOn: (error) => error instanceof DomainError && error.code === 'unavailable',
    });
  const readPartition = async (partition: string): Promise<void> => {
    let lanes = 0;
    const read = async (from: number, until: number): Promise<void> => {
      const others: Promise<void>[] = [];
      let end = until;
      let start: Item | undefined;
      lanes++;
      try {
        do {
          const range = { from: sortableTime(from), until: sortableTime(end) };
          const after = start;
          const next = await limitPages(async () => {
            const page = await readPage({ index: 'list', partition, ...range, limit: PAGE_ROWS }, after);
            take(listIndex, name, page.items);
            return page.next;
          });
          pages++;
          start = next;
          const reached = Number(next?.['lk']);
          const middle = Math.floor((reached + Math.min(end, now)) / 2);
          if (lanes < LANES && reached <= middle && middle < end) {
            others.push(read(middle + 1, end));
            end = middle;
          }
        } while (start !== undefined);
      } finally {
        lanes--;
        await Promise.allSettled(others);
      }
      await Promise.all(others);
    };
    await read(Math.max(0, since), LATEST);
  };
  const partitions = Array.from({ length: shards }, (_, shard) => lists.workspaces(name, shard));
  await Promise.all(partitions.map(readPartition));
  // What changed meanwhile may have gone from where nobody had looked yet to where somebody had; what lies where it lay
  // with fewer partitions may so even where each is one page.
  if (pages > shards || spreadAt !== undefined) await readChanges(database, listIndex, { name, shards }, now - AGAIN);
};

interface Changes {
  /** When the rows changed that are new here, and when those that were known. */
  readonly fresh: readonly number[];
  readonly known: readonly number[];
}

const timeOf = (item: Item): number => Number(item['lk']);

/** @param expected about how many rows there are of which most are known. */
const readChanges = async (
  database: Database,
  listIndex: ListIndex,
  { name, shards }: Pick<Listed, 'name' | 'shards'>,
  since: number,
  expected = 0,
): Promise<Changes> => {
  const [fresh, known]: [number[], number[]] = [[], []];
  const isKnown = (item: Item): boolean => listIndex.isUpToDate(String(item['id']), timeOf(item));

  /** Passes over rows as long as they are known. @returns the time of the first that is not. */
  const pass = async (pages: AsyncIterable<readonly Item[]>): Promise<number | undefined> => {
    for await (const items of pages) {
      for (const item of items) {
        if (!isKnown(item)) return timeOf(item);
        known.push(timeOf(item));
      }
    }
    return undefined;
  };

  await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const rows = { index: 'list', partition: lists.workspaces(name, shard) } as const;
      let start: number | undefined = Math.max(0, since);
      if (expected > MANY_ROWS)
        start = await pass(database.pages({ ...rows, from: sortableTime(start), only: ['id', 'lk'] }));
      if (start === undefined) return;
      for await (const items of database.pages({ ...rows, from: sortableTime(start) })) {
        for (const item of items) (isKnown(item) ? known : fresh).push(timeOf(item));
        take(listIndex, name, items);
      }
    }),
  );
  return { fresh, known };
};

/** A list index of all that the index has. */
export const readListIndex = async (database: Database, organization: Listed, now: number): Promise<ListIndex> => {
  const listIndex = createListIndex();
  await readRows(database, listIndex, organization, now);
  return listIndex;
};

interface ListIndexesOptions {
  readonly snapshots?: Snapshots | undefined;
  /** With more rows than this an organization has snapshots. */
  readonly snapshotRows?: number;
  /** The rows in memory, at most, but for those of one organization. */
  readonly capacity?: number;
}

export const openListIndexes = (
  database: Database,
  clock: Clock,
  { snapshots, snapshotRows = SNAPSHOT_ROWS, capacity = CAPACITY }: ListIndexesOptions = {},
): ListIndexes => {
  const loaded = new Map<string, Loaded>();

  const update = async (organization: string, state: Loaded): Promise<void> => {
    const now = clock();
    if (now < state.restUntil) return;
    const due = WINDOWS.map(({ back, every, everyIfMany }, window) => {
      const known = Math.min(state.known[window] ?? 0, now);
      const pause = (state.changed[window] ?? 0) > MANY_ROWS ? everyIfMany : every;
      return { window, since: known - back, isDue: now - known >= pause };
    }).filter(({ isDue }) => isDue);
    const { listIndex, shards } = state;
    const expected = Math.max(...due.map(({ window }) => state.changed[window] ?? 0));
    const since = Math.min(...due.map((one) => one.since));
    const { fresh, known } = await readChanges(database, listIndex, { name: organization, shards }, since, expected);
    for (const window of WINDOWS.keys()) state.changed[window] = (state.changed[window] ?? 0) + fresh.length;
    for (const { window, since: from } of due) {
      state.known[window] = now;
      state.changed[window] = [...fresh, ...known].filter((time) => time >= from).length;
    }
    // The wider windows bring more, and are not what is repeated with each list.
    if (due.every(({ window }) => window <= USUAL)) state.restUntil = now + restAfter(state.changed[USUAL] ?? 0);
  };

  const isYoung = (now: number, at = Number.NEGATIVE_INFINITY): boolean => now - at <= SNAPSHOT_LIFETIME;

  /** As it was a while ago, and what changed since. */
  const readSnapshot = async (organization: Listed, now: number): Promise<ListIndex | undefined> => {
    const snapshot = isYoung(now, organization.snapshotAt) ? await snapshots?.read(organization) : undefined;
    if (snapshot === undefined || !isYoung(now, snapshot.at)) return undefined;
    const listIndex = createListIndex(snapshot.contents);
    await readRows(database, listIndex, organization, now, snapshot.at - WIDEST);
    return listIndex;
  };

  const load = async (organization: Listed): Promise<Loaded> => {
    const now = clock();
    const fromSnapshot = await readSnapshot(organization, now);
    const listIndex = fromSnapshot ?? (await readListIndex(database, organization, now));
    const { name, shards, snapshotAt } = organization;
    // One that is there for what has become small is taken away by who takes them.
    const isDue = snapshotAt === undefined ? listIndex.size() > snapshotRows : now - snapshotAt > SNAPSHOT_FRESH;
    const unusable = fromSnapshot === undefined ? snapshotAt : undefined;
    if (isDue || unusable !== undefined) await snapshots?.ask(name, unusable);
    return {
      listIndex,
      loadedAt: now,
      shards,
      known: WINDOWS.map(() => now),
      changed: WINDOWS.map(() => 0),
      refreshedAt: now,
      restUntil: now,
    };
  };

  const makeResponseSizeBudget = (): void => {
    let rows = [...loaded.values()].reduce((sum, { listIndex }) => sum + listIndex.size(), 0);
    for (const [organization, { listIndex }] of loaded) {
      if (rows <= capacity || loaded.size === 1) return;
      loaded.delete(organization);
      rows -= listIndex.size();
    }
  };

  return {
    refresh: async (organization) => {
      const state = loaded.get(organization);
      if (state === undefined || clock() - state.loadedAt > LIFETIME) return;
      await update(organization, state);
      state.refreshedAt = clock();
    },

    open: async (organization) => {
      const { name, shards } = organization;
      let state = loaded.get(name);
      // There are only ever more: who says that there are fewer read an older record.
      const isUsable = state !== undefined && clock() - state.loadedAt <= LIFETIME && state.shards >= shards;
      if (state === undefined || !isUsable) state = await load(organization);
      else if (clock() - (state.refreshedAt ?? Number.NEGATIVE_INFINITY) > FRESH) await update(name, state);
      state.refreshedAt = undefined;
      // Last used, last to go.
      loaded.delete(name);
      loaded.set(name, state);
      makeResponseSizeBudget();
      return state.listIndex;
    },
  };
};
