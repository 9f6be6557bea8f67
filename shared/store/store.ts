import { now as clock } from '../clock.ts';
import { openCatalogues, type Snapshots } from './catalogues.ts';
import { openConsumers } from './consumers.ts';
import type { Database } from './database.ts';
import { openDirectory } from './directory.ts';
import { openIdentities } from './identity.ts';
import { openPeople } from './people.ts';
import { openProjectPages } from './project-pages.ts';
import { openRunReader } from './run-reader.ts';
import { openStateVersions } from './state-versions.ts';
import { openTeamAccess } from './team-access.ts';
import { openTokenReader } from './tokens.ts';
import { openVariables } from './variables.ts';
import { openPages } from './workspace-pages.ts';
import { openWorkspaces } from './workspaces.ts';

interface StoreOptions {
  /** For how long a caller's token and memberships are remembered. */
  readonly cacheSeconds?: number;
  /** For how long organizations and projects are. */
  readonly organizationMilliseconds?: number;
  /** For the catalogues of large organizations. */
  readonly snapshots?: Snapshots | undefined;
}

/** All that the endpoints read and write, over one table. */
export const openStore = (
  database: Database,
  { cacheSeconds = 0, organizationMilliseconds = 0, snapshots }: StoreOptions = {},
) => {
  const workspaces = openWorkspaces(database, clock);
  return {
    ...openIdentities(database, clock, cacheSeconds),
    ...openDirectory(database, clock, organizationMilliseconds),
    ...openPeople(database),
    ...workspaces,
    ...openTeamAccess(database),
    ...openRunReader(database),
    ...openProjectPages(database),
    ...openTokenReader(database),
    ...openPages(database, workspaces, clock),
    ...openVariables(database, workspaces, clock),
    ...openConsumers(database, workspaces, clock),
    ...openStateVersions(database),
    catalogues: openCatalogues(database, clock, { snapshots }),
  };
};

export type Store = ReturnType<typeof openStore>;
