import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Project } from '../domain/directory/records.ts';
import type { Tags } from '../domain/tags/tag.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';

/** A workspace as the list index stores it: what lists filter, sort and authorize by. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly access: Grants<WorkspaceGrant>;
  readonly tags: Tags;
  /** Status and creation time of the current run; null without one. */
  readonly runStatus: string | null;
  readonly runAt: number | null;
  readonly latestChangeAt: number;
  readonly hasVariables: boolean;
  /** Whether the long text is stored in an item of its own (STORE-7). */
  readonly hasLongText: boolean;
  /** Time of the last change of a listed attribute, in milliseconds. Strictly increasing for each workspace. */
  readonly listedAt: number;
  /** Whether the workspace is deleted. */
  readonly gone: boolean;
}

/** A project as the list index stores it: what its workspaces inherit. Snapshots contain it in this form. */
export type ProjectRow = Pick<
  Project,
  'id' | 'name' | 'organization' | 'access' | 'bindings' | 'defaultExecutionMode' | 'defaultAgentPool'
> & {
  readonly listedAt: number;
  /** Whether the project is deleted, or its deletion has begun. */
  readonly gone: boolean;
};

/** Creates the row of a deleted workspace. */
export const deletedRow = (id: string): Row => ({
  id,
  name: '',
  project: '',
  access: {},
  tags: [],
  runStatus: null,
  runAt: null,
  latestChangeAt: 0,
  hasVariables: false,
  hasLongText: false,
  listedAt: 0,
  gone: true,
});

/** Creates the row of an existing workspace. */
export const rowFromWorkspace = (workspace: Workspace): Row => ({
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
