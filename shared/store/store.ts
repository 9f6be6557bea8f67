import { now as clock } from '../lib/clock.ts';
import { openCommandStore } from './automation/command-records.ts';
import { openDirectory } from './directory/directory-reader.ts';
import { openProjectPages } from './directory/projects/project-pages.ts';
import { openIdentities } from './directory/tokens/identity.ts';
import { openRejections } from './directory/tokens/rejections.ts';
import { openTokenReader } from './directory/tokens/token-reader.ts';
import { openUserReader } from './directory/users/user-reader.ts';
import type { Database } from './dynamodb/database.ts';
import { withoutWrites } from './dynamodb/read-only.ts';
import { openListIndexes, type Snapshots } from './list-index/list-index-store.ts';
import { openConsumers } from './remote-state-consumers/consumer-store.ts';
import { openRunReader } from './runs/run-reader.ts';
import { openStateVersions } from './state-versions/state-version-reader.ts';
import { openVariables } from './variables/variable-store.ts';
import { openDeletedPages } from './workspaces/deleted-pages.ts';
import { openWorkspacePages } from './workspaces/workspace-pages.ts';
import { openWorkspaces } from './workspaces/workspace-store.ts';

interface StoreOptions {
  /** Time in seconds for which tokens and memberships are cached. */
  readonly cacheSeconds?: number;
  /** Days for which a sign-in counts where an organization requires one (POLICY-1). */
  readonly freshnessDays?: number;
  /** Time in milliseconds for which organizations and projects are cached. */
  readonly organizationMilliseconds?: number;
}

/**
 * Opens everything that the endpoints read and write, over one table.
 * @example
 * const store = openStore(openDatabase({ tableName: TABLE_NAME }), { cacheSeconds: 5 });
 * const workspace = await store.workspaces.find('ws-2jPTvTDXBPFzPGbT');
 */
export const openStore = (
  database: Database,
  { cacheSeconds = 0, freshnessDays = 0, organizationMilliseconds = 0 }: StoreOptions = {},
) => {
  const workspaces = openWorkspaces(database, clock);
  const identities = openIdentities(database, clock, cacheSeconds, freshnessDays);
  const { organizations, projects, records, releases } = openDirectory(database, clock, organizationMilliseconds);
  const { users, teams, teamAccess, memberships } = openUserReader(database);
  const { runs, configurationVersions } = openRunReader(database);
  return {
    identities,
    recordRejection: openRejections(database, clock, identities),
    organizations,
    projects,
    projectPages: openProjectPages(database),
    records,
    releases,
    users,
    teams,
    teamAccess,
    memberships,
    tokens: openTokenReader(database),
    workspaces,
    workspacePages: openWorkspacePages(database, workspaces, clock),
    deletedPages: openDeletedPages(workspaces, clock),
    runs,
    configurationVersions,
    variables: openVariables(database, workspaces, clock),
    consumers: openConsumers(database, workspaces, clock),
    stateVersions: openStateVersions(database),
    commands: openCommandStore(database, clock),
    withoutWrites,
  };
};

export type Store = ReturnType<typeof openStore>;

/**
 * Adds the list indexes to a store. Only functions with lists contain their code.
 * @param snapshots for the list indexes of large organizations.
 */
export const withListIndexes = (store: Store, database: Database, snapshots?: Snapshots) => ({
  ...store,
  listIndexes: openListIndexes(database, clock, { snapshots }),
});

export type ListStore = ReturnType<typeof withListIndexes>;
