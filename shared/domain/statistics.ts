/** Numbers of workspaces by what lists filter by. Each number is the total of a list with that filter (STAT-2). */
export interface Statistics {
  readonly workspaces: number;
  /** Locked workspaces by the time of the lock, the newest first. */
  readonly locks: readonly TimeSpan[];
  /** Workspaces by the time of the last change of the state, the newest first. */
  readonly stateChanges: readonly TimeSpan[];
  /** Workspaces by the release of the infrastructure tool, the most frequent first. */
  readonly infraVersions: readonly { readonly version: string; readonly count: number }[];
  /** Number of workspaces with a release that is not in `infraVersions`. */
  readonly otherInfraVersions: number;
  /** Workspaces by the status of the current run, the most frequent first. */
  readonly runStatuses: readonly { readonly status: string; readonly count: number }[];
  /** Number of workspaces that are not protected against deletion. */
  readonly unprotected: number;
  /** Absent if the organization does not say which workspaces are production. */
  readonly production?: { readonly count: number; readonly unprotected: number };
}

/** Number of workspaces with a time from `since` (inclusive) to `before` (exclusive), in milliseconds; null is open. */
export interface TimeSpan {
  readonly since: number | null;
  readonly before: number | null;
  readonly count: number;
}
