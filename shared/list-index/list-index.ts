import type { ListIndexContents } from './contents.ts';
import { createNameSearch, type NameSearch } from './name-search.ts';
import type { DeletedRow, ProjectRow, RestorableRow, Row } from './row.ts';
import type { SearchTarget } from './row-tests.ts';
import { createRows, type Rows } from './rows.ts';
import type { Found, Selection } from './selection.ts';
import { createSelector, type Selector } from './selector.ts';
import { compareTexts, createSortOrders, type SortKeys, type SortOrders } from './sort-orders.ts';
import { createTagUses, type TagUses } from './tag-uses.ts';

/**
 * In-memory index of the workspaces of an organization. It decides which workspaces are on a page of a list, their order,
 * and the totals. The workspaces of the page are then read from the table. See the README of this folder.
 */
export interface ListIndex {
  readonly size: () => number;
  /** Applies a row from the index of the table. A row that is not newer than the known one is ignored (INDEX-3). */
  readonly apply: (row: Row | DeletedRow) => void;
  readonly applyProject: (row: ProjectRow) => void;
  /** Removes the locks whose leases have expired at a time, in milliseconds (LOCK-20). */
  readonly expireLocks: (now: number) => void;
  /** Returns a project. Deleted projects are included, because workspaces may still refer to them. */
  readonly project: (id: string) => ProjectRow | undefined;
  /** Returns all projects that are not deleted. */
  readonly projects: () => readonly ProjectRow[];
  /** Counts the workspaces of a project. */
  readonly workspacesIn: (project: string) => number;
  readonly row: (id: string) => Row | undefined;
  /** Tells whether the index has received a row or a tombstone of the workspace. */
  readonly knows: (id: string) => boolean;
  /** Tells whether a workspace or a project is already known as of that change time, or a later one. */
  readonly isUpToDate: (id: string, listedAt: number) => boolean;
  /** Returns the deleted workspaces that can be restored at a time, in milliseconds; the last deleted one first. */
  readonly restorable: (at: number) => readonly RestorableRow[];
  /** Counts the workspaces that have each flat tag. */
  readonly tagUses: () => ReadonlyMap<string, number>;
  /** Returns, for each of these flat tags, the earliest time at which a workspace that has the tag received it. */
  readonly tagTimes: (tags: readonly string[]) => ReadonlyMap<string, number>;
  /**
   * Returns all rows ordered by name. It creates an object for each row, whereas `select` does so for one page. Two rows
   * can have the same name for a moment, after a name was given up and taken again.
   */
  readonly byName: () => readonly Row[];
  /** Filters, sorts and counts the rows, and returns a page of them. */
  readonly select: (selection: Selection) => Found;
  /** The rows, for a pass over all of them. */
  readonly searched: SearchTarget;
  /** Returns the complete contents, for a snapshot. */
  readonly contents: () => ListIndexContents;
}

/** The rows of a list index, and what is derived from them. */
interface Parts {
  readonly rows: Rows;
  readonly names: NameSearch;
  readonly orders: SortOrders;
  readonly tags: TagUses;
  readonly selector: Selector;
}

/** Creates the changes of rows. Each updates what is derived from the row. */
const createChanges = ({ rows, names, orders, tags, selector }: Parts) => {
  const { columns } = rows;
  /** Slots of the rows whose lock has a lease. They are few, and only they change as time passes. */
  const leased = new Set<number>();
  const noteLease = (slot: number): void => {
    if (columns.lockExpiresAt[slot] === Number.POSITIVE_INFINITY) leased.delete(slot);
    else leased.add(slot);
  };

  for (let slot = 0; slot < rows.end(); slot++) {
    tags.count(slot, 1);
    noteLease(slot);
  }

  const reindex = (slot: number, before?: SortKeys, after?: SortKeys): void => {
    if (before?.name !== after?.name) names.invalidate(slot);
    orders.markChanged(slot, before, after);
  };

  const put = (row: Row, known: number | undefined): void => {
    selector.forget();
    const before = known === undefined ? undefined : orders.keysOf(known);
    if (known !== undefined) tags.count(known, -1);
    const slot = rows.put(row);
    tags.count(slot, 1);
    noteLease(slot);
    reindex(slot, before, orders.keysOf(slot));
  };
  const remove = (slot: number): void => {
    selector.forget();
    const before = orders.keysOf(slot);
    tags.count(slot, -1);
    rows.remove(slot);
    leased.delete(slot);
    reindex(slot, before);
  };

  const expireLocks = (now: number): void => {
    for (const slot of leased) {
      if ((columns.lockExpiresAt[slot] as number) >= now) continue;
      put({ ...rows.row(slot), lockedAt: null, lockExpiresAt: null, lockedBy: null }, slot);
    }
  };

  return { put, remove, expireLocks };
};

/**
 * Creates a list index.
 * @param contents initial contents, whose arrays are used without a copy.
 * @example
 * const listIndex = createListIndex();
 * for (const workspace of workspaces) listIndex.apply(rowFromWorkspace(workspace));
 * const reading = { everything: true, project: () => true, grants: () => true };
 * const { count, rows } = listIndex.select({ reading, order: 'name', direction: 'ascending', from: 0, to: 20 });
 */
export const createListIndex = (contents?: ListIndexContents): ListIndex => {
  const rows = createRows(contents?.rows);
  const { columns, pools } = rows;
  /** Deleted workspaces by id. Rows that are older than their deletion are ignored; a newer one is a restoration. */
  const deleted = new Map(contents?.deleted.map((row) => [row.id, row]));
  const projects = new Map(contents?.projects.map((row) => [row.id, row]));
  const nameOf = (slot: number): string => columns.name[slot] as string;
  const names = createNameSearch(nameOf, rows.end);

  const orders = createSortOrders(rows);

  const tags = createTagUses(rows);
  const searched: SearchTarget = { rows, names, projects };
  const selector = createSelector({ ...searched, orders: orders.by });

  const { put, remove, expireLocks } = createChanges({ rows, names, orders, tags, selector });

  return {
    size: rows.size,
    apply: (row) => {
      const known = rows.slotOf(row.id);
      const knownAt = known === undefined ? Number.NEGATIVE_INFINITY : (columns.listedAt[known] as number);
      const deletedAt = deleted.get(row.id)?.listedAt ?? Number.NEGATIVE_INFINITY;
      if (row.listedAt <= deletedAt) return;
      if (row.isDeleted) {
        if (row.listedAt < knownAt) return;
        const { id, listedAt } = row;
        const restorable = 'restorable' in row ? row.restorable : undefined;
        deleted.set(id, { id, isDeleted: true, listedAt, ...(restorable && { restorable }) });
        if (known !== undefined) remove(known);
      } else if (knownAt < row.listedAt) {
        deleted.delete(row.id);
        put(row, known);
      }
    },
    applyProject: (row) => {
      const known = projects.get(row.id);
      if (known !== undefined && known.listedAt >= row.listedAt) return;
      projects.set(row.id, row);
      selector.forget();
    },
    expireLocks,
    project: (id) => projects.get(id),
    projects: () => [...projects.values()].filter((row) => !row.isDeleted),
    workspacesIn: pools.project.holders,
    row: (id) => {
      const slot = rows.slotOf(id);
      return slot === undefined ? undefined : rows.row(slot);
    },
    knows: (id) => deleted.has(id) || rows.slotOf(id) !== undefined,
    isUpToDate: (id, listedAt) => {
      const slot = rows.slotOf(id);
      const known = slot === undefined ? projects.get(id)?.listedAt : columns.listedAt[slot];
      return Math.max(known ?? Number.NEGATIVE_INFINITY, deleted.get(id)?.listedAt ?? 0) >= listedAt;
    },
    restorable: (at) =>
      [...deleted.values()]
        .flatMap(({ id, listedAt, restorable }) => (restorable ? [{ id, listedAt, ...restorable }] : []))
        .filter(({ purgeAt }) => at < purgeAt)
        .sort((a, b) => b.deletedAt - a.deletedAt || compareTexts(a.id, b.id)),
    tagUses: tags.uses,
    tagTimes: tags.times,
    byName: () => {
      const all: Row[] = [];
      orders.by.name.visit('ascending', (slot) => all.push(rows.row(slot)));
      return all;
    },

    select: selector.select,
    searched,

    contents: () => {
      const slots: number[] = [];
      orders.by.name.visit('ascending', (slot) => slots.push(slot));
      return { rows: rows.contents(slots), deleted: [...deleted.values()], projects: [...projects.values()] };
    },
  };
};
