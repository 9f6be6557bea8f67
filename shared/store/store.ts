import { now as clock } from '../clock.ts';
import { openCatalogues } from './catalogues.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { openDirectory } from './directory.ts';
import { openIdentities } from './identity.ts';
import { openPages } from './pages.ts';
import { openWorkspaces } from './workspaces.ts';

export interface StoreOptions extends DatabaseOptions {
  /** For how long a caller's token and memberships are remembered, in seconds. */
  readonly cacheSeconds: number;
}

/** All that the endpoints read and write, over one table. */
export const openStore = ({ cacheSeconds, ...options }: StoreOptions) => {
  const database = openDatabase(options);
  const workspaces = openWorkspaces(database, clock);
  return {
    ...openIdentities(database, clock, cacheSeconds),
    ...openDirectory(database, clock),
    ...workspaces,
    ...openPages(database, workspaces, clock),
    catalogues: openCatalogues(database, clock),
  };
};

export type Store = ReturnType<typeof openStore>;
