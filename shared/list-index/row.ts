import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Project } from '../domain/directory/records.ts';
import type { Tags } from '../domain/tags/tag.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';

/** What lists know of a workspace. */
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
  /** Deleted, or about to be. */
  readonly gone: boolean;
};

/** The last that is heard of a workspace of which nothing else is known. */
export const goneRow = (id: string): Row => ({
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
