import type { Project } from './directory.ts';
import type { Grants, WorkspaceGrant } from './grants.ts';
import type { Tag, Tags } from './tags.ts';
import { wildcard } from './wildcard.ts';
import type { Workspace } from './workspace.ts';

/**
 * An organization's workspaces as lists need them, in memory: what a page shows is read in full, but which ones are on
 * it, in which order and how many there are in all is found here.
 */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly access: Grants<WorkspaceGrant>;
  readonly tags: Tags;
  /** Status and creation of the current run; null without one. */
  readonly runStatus: string | null;
  readonly runAt: number | null;
  readonly latestChangeAt: number;
  readonly hasVariables: boolean;
  /** Whether its long text lies in an item of its own. */
  readonly hasLongText: boolean;
  /** When what the row shows last changed, in milliseconds; grows with every change of the workspace. */
  readonly listedAt: number;
  /** Deleted: the row goes. */
  readonly gone: boolean;
}

export type ProjectRow = Pick<
  Project,
  'id' | 'name' | 'organization' | 'access' | 'bindings' | 'defaultExecutionMode' | 'defaultAgentPool'
> & {
  readonly listedAt: number;
};

/** By what a list is sorted; what is equal in it goes by id, whichever the direction. */
export type Order = 'name' | 'runAt' | 'latestChangeAt';
export type Direction = 'ascending' | 'descending';

/** What a list is narrowed to: all of it has to hold; an empty part narrows nothing (contract 6). */
export interface Filter {
  /** Parts of the name, whatever the case. */
  readonly names: readonly string[];
  /** Patterns of the whole name, whatever the case. */
  readonly wildcards: readonly string[];
  /** Flat tags, or keys of bindings, of the workspace itself. */
  readonly tags: readonly string[];
  /** None of these. */
  readonly excludedTags: readonly string[];
  readonly projects: readonly string[];
  /** One of these. */
  readonly runStatuses: readonly string[];
  /** Tags and bindings in force, also those that the project passes on; without `value` whatever the value, or none. */
  readonly tagged: readonly { readonly key: string; readonly value?: string }[];
}

/** Which workspaces may be read. */
export interface Reading {
  /** All of the organization. */
  readonly everything: boolean;
  /** All of a project. */
  readonly project: (project: Pick<Project, 'access'>) => boolean;
  /** Those with these grants. */
  readonly grants: (access: Grants<WorkspaceGrant>) => boolean;
}

export interface Selection {
  readonly reading: Reading;
  /** Everything, where absent. */
  readonly filter?: Filter;
  readonly order: Order;
  readonly direction: Direction;
}

/** What a selection found, at that moment. */
export interface Found {
  readonly count: number;
  /** From one position up to, not including, another. */
  readonly rows: (from: number, to: number) => readonly Row[];
}

export interface Catalogue {
  readonly size: () => number;
  /** Takes a change in; what is older than what is known is passed over. */
  readonly apply: (row: Row) => void;
  readonly applyProject: (row: ProjectRow) => void;
  readonly project: (id: string) => ProjectRow | undefined;
  readonly row: (id: string) => Row | undefined;
  /** How many workspaces have each flat tag. */
  readonly tagUses: () => ReadonlyMap<string, number>;
  /** All workspaces by name, equal names (of different moments) by id. */
  readonly byName: () => readonly Row[];
  readonly select: (selection: Selection) => Found;
}

/** The row that a living workspace has. */
export const rowOf = (workspace: Workspace): Row => ({
  id: workspace.id,
  name: workspace.name,
  project: workspace.project,
  access: workspace.access,
  tags: workspace.tags,
  runStatus: workspace.runStatus ?? null,
  runAt: workspace.runAt ?? null,
  latestChangeAt: workspace.latestChangeAt,
  hasVariables: workspace.hasVariables ?? false,
  hasLongText: workspace.textRevision !== undefined,
  listedAt: workspace.listedAt,
  gone: false,
});

const compare = (a: Row, b: Row): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : Number(a.id > b.id);

const byId = (a: Row, b: Row): number => (a.id < b.id ? -1 : Number(a.id > b.id));

/** Comparisons by an order, forwards (1) or backwards (-1); what has no run comes last both ways. */
const comparators: Readonly<Record<Order, (sign: 1 | -1) => (a: Row, b: Row) => number>> = {
  name: (sign) => (a, b) => (a.name < b.name ? -sign : a.name > b.name ? sign : byId(a, b)),
  latestChangeAt: (sign) => (a, b) => sign * (a.latestChangeAt - b.latestChangeAt) || byId(a, b),
  runAt: (sign) => (a, b) => {
    if (a.runAt === null || b.runAt === null) {
      return Number(a.runAt === null) - Number(b.runAt === null) || byId(a, b);
    }
    return sign * (a.runAt - b.runAt) || byId(a, b);
  },
};

/** The binding or flat tag in force under a key: the workspace's own, else its project's, which passes on no flat ones. */
const tagInForce = (key: string, own: Tags, inherited: Tags = []): Tag | undefined =>
  find(own, key) ?? find(inherited, key);
const find = (tags: Tags, key: string): Tag | undefined => tags.find((tag) => tag.key === key);

const matcher = (filter: Filter): ((row: Row, project: ProjectRow | undefined) => boolean) => {
  const names = filter.names.map((name) => name.toLowerCase());
  const wildcards = filter.wildcards.map((pattern) => wildcard(pattern.toLowerCase()));
  return ({ name, tags, project: projectId, runStatus }, project) => {
    const lower = name.toLowerCase();
    return (
      names.every((part) => lower.includes(part)) &&
      wildcards.every((fits) => fits(lower)) &&
      filter.tags.every((tag) => find(tags, tag)) &&
      !filter.excludedTags.some((tag) => find(tags, tag)) &&
      filter.projects.every((id) => id === projectId) &&
      (filter.runStatuses.length === 0 || (runStatus !== null && filter.runStatuses.includes(runStatus))) &&
      filter.tagged.every(({ key, value }) => {
        const tag = tagInForce(key, tags, project?.bindings);
        return tag !== undefined && (value === undefined || tag.value === value);
      })
    );
  };
};

/** More changes than this at once, and sorting anew is cheaper than moving each. */
const RESORT = 64;

export const createCatalogue = (): Catalogue => {
  const rows = new Map<string, Row>();
  /** A tombstone is the last that happens to a workspace: an older row that an index brings later changes nothing. */
  const gone = new Set<string>();
  const projects = new Map<string, ProjectRow>();
  const uses = new Map<string, number>();
  let order: Row[] = [];
  let unsorted: { readonly before: Row | undefined; readonly after: Row | undefined }[] = [];

  const position = (row: Row): number => {
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(order[middle] as Row, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const settle = (): void => {
    if (unsorted.length > RESORT) order = [...rows.values()].sort(compare);
    else {
      for (const { before, after } of unsorted) {
        if (before !== undefined) order.splice(position(before), 1);
        if (after !== undefined) order.splice(position(after), 0, after);
      }
    }
    unsorted = [];
  };

  const countTags = (row: Row | undefined, by: 1 | -1): void => {
    for (const { key, value } of row?.tags ?? []) {
      if (value !== undefined) continue;
      const count = (uses.get(key) ?? 0) + by;
      if (count === 0) uses.delete(key);
      else uses.set(key, count);
    }
  };

  return {
    size: () => rows.size,
    apply: (row) => {
      const known = rows.get(row.id);
      if (row.gone) {
        gone.add(row.id);
        rows.delete(row.id);
        if (known === undefined) return;
      } else {
        if (gone.has(row.id) || (known !== undefined && known.listedAt >= row.listedAt)) return;
        rows.set(row.id, row);
      }
      countTags(known, -1);
      if (!row.gone) countTags(row, 1);
      unsorted.push({ before: known, after: row.gone ? undefined : row });
    },
    applyProject: (row) => {
      const known = projects.get(row.id);
      if (known === undefined || known.listedAt < row.listedAt) projects.set(row.id, row);
    },
    project: (id) => projects.get(id),
    row: (id) => rows.get(id),
    tagUses: () => uses,
    byName: () => {
      settle();
      return order;
    },
    select: ({ reading, filter, order: by, direction }) => {
      settle();
      const matches = filter && matcher(filter);
      const found = order.filter((row) => {
        const project = projects.get(row.project);
        const isReadable =
          reading.everything || (project !== undefined && reading.project(project)) || reading.grants(row.access);
        return isReadable && (matches === undefined || matches(row, project));
      });
      found.sort(comparators[by](direction === 'ascending' ? 1 : -1));
      return { count: found.length, rows: (from, to) => found.slice(from, to) };
    },
  };
};
