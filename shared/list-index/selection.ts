import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Project } from '../domain/directory/records.ts';
import type { Row } from './row.ts';

/** Sort order of a list. Ties are broken by id, in both directions. */
export type Order = 'name' | 'runAt' | 'latestChangeAt';
export type Direction = 'ascending' | 'descending';

/** Filter of a list. All parts must match; an empty part matches every row (LIST-3). */
export interface Filter {
  /** Substrings of the name, case-insensitive. */
  readonly names: readonly string[];
  /** Wildcard patterns of the whole name, case-insensitive. */
  readonly wildcards: readonly string[];
  /** Names of flat tags or keys of bindings, of the workspace itself. The row must have all of them. */
  readonly tags: readonly string[];
  /** Names of flat tags or keys of bindings that the row must not have. */
  readonly excludedTags: readonly string[];
  readonly projects: readonly string[];
  /** The row must have one of these. */
  readonly runStatuses: readonly string[];
  /** Effective tags and bindings, including those of the project. Without `value`, any value or none matches. */
  readonly tagged: readonly { readonly key: string; readonly value?: string }[];
}

/** The workspaces that a caller may read. A row is readable if one of the three allows it. */
export interface Reading {
  /** Whether all workspaces of the organization are readable. */
  readonly everything: boolean;
  /** Whether all workspaces of a project are readable. */
  readonly project: (project: Pick<Project, 'access'>) => boolean;
  /** Whether a workspace with these grants is readable. */
  readonly grants: (access: Grants<WorkspaceGrant>) => boolean;
}

/** A request for a page of rows. */
export interface Selection {
  readonly reading: Reading;
  /** Absent: no filter. */
  readonly filter?: Filter;
  /** Ids: only rows in `among` match, and the row `except` does not. */
  readonly among?: readonly string[] | undefined;
  readonly except?: string | undefined;
  readonly order: Order;
  readonly direction: Direction;
  /** Page: positions `from` (inclusive) to `to` (exclusive) among the matching rows. */
  readonly from: number;
  readonly to: number;
}

/** A page of rows, and counts of all matching rows. */
export interface Found {
  /** Number of matching rows, not only of those on the page. */
  readonly count: number;
  /** Number of matching rows for each status of the current run. */
  readonly runStatuses: ReadonlyMap<string, number>;
  readonly rows: readonly Row[];
}
