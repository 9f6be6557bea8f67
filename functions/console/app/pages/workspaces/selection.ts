import type { WorkspaceRow } from '../../api/workspaces.ts';

/** Selected workspaces: some of them by id, or all that match the filters. */
export interface Selection {
  readonly isAll: boolean;
  /** Ids of the selected workspaces; with `isAll`, those that are not selected. */
  readonly ids: ReadonlySet<string>;
}

export const emptySelection: Selection = { isAll: false, ids: new Set() };

/** Returns the number of selected workspaces. `total` is the number of all that match the filters. */
export const selectionSize = ({ isAll, ids }: Selection, total: number): number =>
  isAll ? total - ids.size : ids.size;

/** Returns whether a workspace is selected. */
export const isSelected = ({ isAll, ids }: Selection, { workspace }: WorkspaceRow): boolean =>
  ids.has(workspace.id) !== isAll;

/** Adds workspaces to the selection, or removes them. */
export const select = ({ isAll, ids }: Selection, changed: readonly WorkspaceRow[], isAdded: boolean): Selection => {
  const next = new Set(ids);
  for (const row of changed) {
    if (isAdded === isAll) next.delete(row.workspace.id);
    else next.add(row.workspace.id);
  }
  return { isAll, ids: next };
};
