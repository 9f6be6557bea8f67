import type { WorkspaceRow } from '../../api/workspaces.ts';

/** Selected workspaces: some of them by id, or all that match the filters. */
export interface Selection {
  readonly isAll: boolean;
  readonly rows: ReadonlyMap<string, WorkspaceRow>;
}

export const emptySelection: Selection = { isAll: false, rows: new Map() };

/** Returns the number of selected workspaces. `total` is the number of all that match the filters. */
export const selectionSize = ({ isAll, rows }: Selection, total: number): number => (isAll ? total : rows.size);

/** Adds a workspace to the selection, or removes it. */
export const toggle = ({ rows }: Selection, row: WorkspaceRow): Selection => {
  const next = new Map(rows);
  if (!next.delete(row.workspace.id)) next.set(row.workspace.id, row);
  return { isAll: false, rows: next };
};

/** Selects the given workspaces in addition to the ones that are selected already. */
export const selectRows = ({ rows }: Selection, added: readonly WorkspaceRow[]): Selection => ({
  isAll: false,
  rows: new Map([...rows, ...added.map((row) => [row.workspace.id, row] as const)]),
});
