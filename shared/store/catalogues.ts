import type { Clock } from '../clock.ts';
import { type Catalogue, createCatalogue } from '../domain/catalogue.ts';
import type { ProjectRow, Row } from '../domain/catalogue-row.ts';
import { LATEST } from '../domain/timestamps.ts';
import type { Database, Item } from './database.ts';
import { projectOf } from './directory-items.ts';
import { lists, sortableTime } from './keys.ts';
import { tagsOf } from './tag-items.ts';

export interface Catalogues {
  /** Brings a catalogue that is in memory already up to date; nothing happens to one that is not. */
  readonly refresh: (organization: string) => Promise<void>;
  /** An organization's catalogue, as current as its index; loaded, or brought up to date, unless `refresh` just was. */
  readonly open: (organization: string, shards: number) => Promise<Catalogue>;
}

interface Loaded {
  readonly catalogue: Catalogue;
  readonly loadedAt: number;
  readonly shards: number;
  /** For each window the time up to which changes are known, so far as it reaches back. */
  readonly known: number[];
  /** When it was brought up to date for a request that has not opened it yet. */
  refreshedAt: number | undefined;
}

/**
 * How far, in milliseconds, an update looks back from the one before it, and how often: a change is stamped before it is
 * written, clocks differ, and the index lags behind the table, all by milliseconds as a rule, while writers give up
 * after 8 s. The wider windows heal what the narrow one missed. Nothing of it is read again once it is older than that,
 * however much changed at once: so a list in which nothing changes costs the same at any size.
 */
const WINDOWS = [
  { back: 3_000, every: 0 },
  { back: 30_000, every: 5_000 },
  { back: 15 * 60_000, every: 60_000 },
] as const;
/** Tombstones live for 7 days; a catalogue starts anew long before it could miss one. */
const LIFETIME = 6 * 60 * 60_000;
/** Rows in memory, over all organizations; the least recently used go first. About 150 MB, a lot of tags 400 MB. */
const CAPACITY = 600_000;
/** For how long, in milliseconds, what `refresh` did is as good as new: the request that it was for may have ended early. */
const FRESH = 2_000;
/** How many queries read one partition at once while a catalogue is loaded. */
const LANES = 4;

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

/** @param capacity the rows in memory, at most, but for those of one organization. */
export const openCatalogues = (database: Database, clock: Clock, capacity = CAPACITY): Catalogues => {
  const loaded = new Map<string, Loaded>();

  const take = (catalogue: Catalogue, organization: string, items: readonly Item[]): void => {
    for (const item of items) {
      if (item['ty'] === 'project') catalogue.applyProject(projectRowOf(item, organization));
      else if (item['ty'] === 'project-tombstone') catalogue.applyProject(tombstoneRowOf(item, organization));
      else catalogue.apply(rowOf(item));
    }
  };

  const readChanges = async (organization: string, { catalogue, shards }: Loaded, since: number): Promise<void> => {
    const from = sortableTime(Math.max(0, since));
    await Promise.all(
      Array.from({ length: shards }, async (_, shard) => {
        const partition = lists.workspaces(organization, shard);
        for await (const items of database.pages({ index: 'list', partition, from })) {
          take(catalogue, organization, items);
        }
      }),
    );
  };

  const update = async (organization: string, state: Loaded): Promise<void> => {
    const now = clock();
    const due = WINDOWS.map(({ back, every }, window) => {
      const known = Math.min(state.known[window] ?? 0, now);
      return { window, since: known - back, isDue: now - known >= every };
    }).filter(({ isDue }) => isDue);
    await readChanges(organization, state, Math.min(...due.map(({ since }) => since)));
    for (const { window } of due) state.known[window] = now;
  };

  /**
   * Reads a whole partition. How its rows lie in time nobody knows: so whoever is not through with a range after a page
   * gives the later half of what is left to a free lane.
   * @returns in how many pages.
   */
  const readPartition = async (partition: string, now: number, use: (items: readonly Item[]) => void) => {
    let [lanes, pages] = [0, 0];
    const read = async (from: number, until: number): Promise<void> => {
      const others: Promise<void>[] = [];
      let end = until;
      let start: Item | undefined;
      lanes++;
      try {
        do {
          const range = { from: sortableTime(from), until: sortableTime(end) };
          const { items, next } = await database.page({ index: 'list', partition, ...range }, start);
          pages++;
          use(items);
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
    await read(0, LATEST);
    return pages;
  };

  const load = async (organization: string, shards: number): Promise<Loaded> => {
    const now = clock();
    const catalogue = createCatalogue();
    const known = WINDOWS.map(() => now);
    const state: Loaded = { catalogue, loadedAt: now, shards, known, refreshedAt: now };
    const pages = await Promise.all(
      Array.from({ length: shards }, (_, shard) =>
        readPartition(lists.workspaces(organization, shard), now, (items) => take(catalogue, organization, items)),
      ),
    );
    // What changed meanwhile may have gone from where nobody had looked yet to where somebody had.
    if (pages.some((count) => count > 1)) await readChanges(organization, state, now - WINDOWS[1].back);
    return state;
  };

  const makeRoom = (): void => {
    let rows = [...loaded.values()].reduce((sum, { catalogue }) => sum + catalogue.size(), 0);
    for (const [organization, { catalogue }] of loaded) {
      if (rows <= capacity || loaded.size === 1) return;
      loaded.delete(organization);
      rows -= catalogue.size();
    }
  };

  return {
    refresh: async (organization) => {
      const state = loaded.get(organization);
      if (state === undefined || clock() - state.loadedAt > LIFETIME) return;
      await update(organization, state);
      state.refreshedAt = clock();
    },

    open: async (organization, shards) => {
      let state = loaded.get(organization);
      const isUsable = state !== undefined && clock() - state.loadedAt <= LIFETIME && state.shards === shards;
      if (state === undefined || !isUsable) state = await load(organization, shards);
      else if (clock() - (state.refreshedAt ?? Number.NEGATIVE_INFINITY) > FRESH) await update(organization, state);
      state.refreshedAt = undefined;
      // Last used, last to go.
      loaded.delete(organization);
      loaded.set(organization, state);
      makeRoom();
      return state.catalogue;
    },
  };
};
