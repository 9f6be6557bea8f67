import type { Project } from '../domain/directory/records.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import { type ColumnAttribute, type ColumnValues, createRowReader } from './columns.ts';

/** A workspace as the list index stores it: what lists filter, sort and authorize by. */
export interface Row extends ColumnValues {
  /** Whether the workspace is deleted. */
  readonly gone: boolean;
}

/** The deletion of a workspace. */
export interface DeletedRow {
  readonly id: string;
  readonly gone: true;
}

/** A project as the list index stores it: what its workspaces inherit. Snapshots contain it in this form. */
export type ProjectRow = Pick<
  Project,
  | 'id'
  | 'name'
  | 'organization'
  | 'access'
  | 'bindings'
  | 'defaultExecutionMode'
  | 'defaultAgentPool'
  | 'defaultDeletionProtection'
> & {
  readonly listedAt: number;
  /** Whether the project is deleted, or its deletion has begun. */
  readonly gone: boolean;
};

/** Creates the row of a deleted workspace. */
export const deletedRow = (id: string): DeletedRow => ({ id, gone: true });

/** Creates the row of an existing workspace. */
export const rowFromWorkspace = createRowReader(
  (attribute) => (workspace: Pick<Workspace, ColumnAttribute>) => workspace[attribute],
);
