import type { Project } from '../domain/directory/records.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import { type ColumnAttribute, type ColumnValues, createRowReader } from './columns.ts';

/** A workspace as the list index stores it: what lists filter, sort and authorize by. */
export interface Row extends ColumnValues {
  /** Whether the workspace is deleted. */
  readonly isDeleted: boolean;
}

/** The deletion of a workspace. */
export interface DeletedRow {
  readonly id: string;
  readonly isDeleted: true;
  /** Time of the deletion's change of the row, in milliseconds; 0 if it is not known. */
  readonly listedAt: number;
  /** Set while the workspace can be restored. */
  readonly restorable?: Restorable;
}

/** Attributes that decide where a deleted workspace is listed, and who sees it there. Times are epoch milliseconds. */
export interface Restorable extends Pick<Workspace, 'project' | 'access'> {
  readonly deletedAt: number;
  readonly purgeAt: number;
}

/** A deleted workspace that can be restored. */
export interface RestorableRow extends Restorable, Pick<DeletedRow, 'id' | 'listedAt'> {}

/** A project as the list index stores it: what its workspaces inherit. */
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
  readonly isDeleted: boolean;
};

/** Creates the row of a deleted workspace from its attributes. */
export const deletedRow = ({
  id,
  listedAt,
  deletedAt,
  purgeAt,
  project,
  access,
}: Pick<Workspace, 'id' | 'listedAt' | 'project' | 'access'> & {
  readonly deletedAt?: number | undefined;
  readonly purgeAt?: number | undefined;
}): DeletedRow => ({
  id,
  isDeleted: true,
  listedAt,
  ...(deletedAt !== undefined && purgeAt !== undefined && { restorable: { deletedAt, purgeAt, project, access } }),
});

/** Creates the row of an existing workspace. */
export const rowFromWorkspace = createRowReader(
  (attribute) => (workspace: Pick<Workspace, ColumnAttribute>) => workspace[attribute],
);
