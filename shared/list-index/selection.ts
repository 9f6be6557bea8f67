import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { ExecutionMode, Project } from '../domain/directory/records.ts';
import type { Row } from './row.ts';
import type { RowTest, SearchTarget } from './row-tests.ts';

/** Sort order of a list. Ties are broken by id, in both directions. */
export type Order = 'name' | 'runAt' | 'latestChangeAt' | 'lockedAt';
export type Direction = 'ascending' | 'descending';

/** Records that filters on effective values read besides the rows. */
export interface FilterContext {
  readonly organization: {
    readonly defaultExecutionMode: ExecutionMode;
    readonly defaultDeletionProtection?: boolean;
  };
  /** Releases that versions are resolved to; empty unless a filter needs them. */
  readonly releases: readonly string[];
}

/** Filter of a list (LIST-3). `filters.ts` creates it from a query. */
export interface Filter {
  /** Equal for equal filters. Results are cached by it. */
  readonly key: string;
  /** Creates the tests that a row has to pass. */
  readonly tests: (searched: SearchTarget, context: FilterContext) => readonly RowTest[];
}

/** The workspaces that a caller may read. A row is readable if one of the three allows it, within the scope. */
export interface Reading {
  /** Whether all workspaces of the organization are readable. */
  readonly everything: boolean;
  /** Whether all workspaces of a project are readable. */
  readonly project: (project: Pick<Project, 'access'>) => boolean;
  /** Whether a workspace with these grants is readable. */
  readonly grants: (access: Grants<WorkspaceGrant>) => boolean;
  /** Ids of the only projects and workspaces that are readable; absent without such a limit. */
  readonly scope?: { readonly projects: readonly string[]; readonly workspaces: readonly string[] };
}

/** A request for a page of rows. */
export interface Selection {
  readonly reading: Reading;
  /** Absent: no filter. */
  readonly filter?: Filter;
  /** Absent for filters that read no effective values. */
  readonly context?: FilterContext;
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
