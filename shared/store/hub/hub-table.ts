/**
 * Definition of the table of the hub as data. The store builds its requests from it, and the infrastructure creates the
 * table from it. The names of its keys and of its expiry attribute are the names in the table of a
 * deployment.
 */

/** Sparse indexes with all attributes. Tombstones are in none of them. */
export const hubIndexes = {
  /** Workspaces of an account and region, by organization and name. */
  names: { partitionKey: 'n', sortKey: 'nk' },
  /** Locked workspaces of all members, by the time of the lock. */
  locks: { partitionKey: 'k', sortKey: 'kk' },
} as const;

export type HubIndexName = keyof typeof hubIndexes;
export const hubIndexNames = Object.keys(hubIndexes) as HubIndexName[];
