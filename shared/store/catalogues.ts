import type { Clock } from '../clock.ts';
import { type Catalogue, createCatalogue, type ProjectRow, type Row } from '../domain/catalogue.ts';
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
  /** For each shard the time up to which its rows are known. */
  readonly watermarks: number[];
  /** When each of the wider windows was last looked through. */
  readonly looked: number[];
  fresh: boolean;
}

/**
 * How far back, in milliseconds, an update looks, and how often: the index lags behind the table by milliseconds as a
 * rule, clocks differ, and writers give up after 8 s. The wider windows heal what the narrow one missed.
 */
const WINDOWS = [
  { back: 3_000, every: 0 },
  { back: 30_000, every: 5_000 },
  { back: 15 * 60_000, every: 60_000 },
] as const;
/** Tombstones live for 7 days; a catalogue starts anew long before it could miss one. */
const LIFETIME = 6 * 60 * 60_000;
/** Rows in memory, over all organizations; the least recently used go first. About 100 MB. */
const CAPACITY = 300_000;

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
  };
};

export const openCatalogues = (database: Database, clock: Clock): Catalogues => {
  const loaded = new Map<string, Loaded>();

  const readShard = async (organization: string, shard: number, state: Loaded, from: number): Promise<void> => {
    const now = clock();
    const items = await database.query({
      index: 'list',
      partition: lists.workspaces(organization, shard),
      ...(from > 0 && { from: sortableTime(from) }),
    });
    let highest = state.watermarks[shard] ?? 0;
    for (const item of items) {
      if (item['ty'] === 'project') state.catalogue.applyProject(projectRowOf(item, organization));
      else state.catalogue.apply(rowOf(item));
      highest = Math.max(highest, Number(item['lk']));
    }
    // A row from a clock that is ahead must not hide what others write meanwhile.
    state.watermarks[shard] = Math.min(highest, now);
  };

  const update = async (organization: string, state: Loaded): Promise<void> => {
    const now = clock();
    let back = 0;
    for (const [index, window] of WINDOWS.entries()) {
      if (now - (state.looked[index] ?? 0) < window.every) continue;
      state.looked[index] = now;
      back = window.back;
    }
    await Promise.all(
      state.watermarks.map((watermark, shard) => readShard(organization, shard, state, Math.max(0, watermark - back))),
    );
  };

  const load = async (organization: string, shards: number): Promise<Loaded> => {
    const now = clock();
    const state: Loaded = {
      catalogue: createCatalogue(),
      loadedAt: now,
      watermarks: Array.from({ length: shards }, () => 0),
      looked: WINDOWS.map(() => now),
      fresh: true,
    };
    await Promise.all(state.watermarks.map((_, shard) => readShard(organization, shard, state, 0)));
    return state;
  };

  const makeRoom = (): void => {
    let rows = [...loaded.values()].reduce((sum, { catalogue }) => sum + catalogue.size(), 0);
    for (const [organization, { catalogue }] of loaded) {
      if (rows <= CAPACITY || loaded.size === 1) return;
      loaded.delete(organization);
      rows -= catalogue.size();
    }
  };

  return {
    refresh: async (organization) => {
      const state = loaded.get(organization);
      if (state === undefined || clock() - state.loadedAt > LIFETIME) return;
      await update(organization, state);
      state.fresh = true;
    },

    open: async (organization, shards) => {
      let state = loaded.get(organization);
      const isUsable =
        state !== undefined && clock() - state.loadedAt <= LIFETIME && state.watermarks.length === shards;
      if (state === undefined || !isUsable) state = await load(organization, shards);
      else if (!state.fresh) await update(organization, state);
      state.fresh = false;
      // Last used, last to go.
      loaded.delete(organization);
      loaded.set(organization, state);
      makeRoom();
      return state.catalogue;
    },
  };
};
