import type { WorkspaceRow } from '../../api/workspaces.ts';

/** Selected workspaces: some of them by id, or all that match the filters. */
export interface Selection {
  readonly isAll: boolean;
  /** The selected workspaces; with `isAll`, those that are not selected. */
  readonly rows: ReadonlyMap<string, WorkspaceRow>;
}

export const emptySelection: Selection = { isAll: false, rows: new Map() };

/** Returns the number of selected workspaces. `total` is the number of all that match the filters. */
export const selectionSize = ({ isAll, rows }: Selection, total: number): number =>
  isAll ? total - rows.size : rows.size;

/** Returns whether a workspace is selected. */
export const isSelected = ({ isAll, rows }: Selection, { workspace }: WorkspaceRow): boolean =>
  rows.has(workspace.id) !== isAll;

/** Adds workspaces to the selection, or removes them. */
export const select = ({ isAll, rows }: Selection, changed: readonly WorkspaceRow[], isAdded: boolean): Selection => {
  const next = new Map(rows);
  for (const row of changed) {
    if (isAdded === isAll) next.delete(row.workspace.id);
    else next.set(row.workspace.id, row);
  }
  return { isAll, rows: next };
};
