import type { Project } from './directory.ts';
import type { Grants, WorkspaceGrant } from './grants.ts';
import type { Tags } from './tags.ts';
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
  };
};
