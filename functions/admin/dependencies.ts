import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemoval } from '../../shared/store/directory/removal/open-removal.ts';
import type { Database } from '../../shared/store/dynamodb/database.ts';
import { openAfterRestore, type StateObject } from '../../shared/store/restore/after-restore.ts';
import { serviceRequest } from '../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';

/** Creates the request context of a change that an admin command makes. */
export const adminRequest = (): RequestContext => serviceRequest('admin');

export interface AdminOptions {
  /** Time that a deletion waits for requests in progress, in milliseconds. */
  readonly settling?: number;
  readonly removeSnapshot?: (organization: string) => Promise<void>;
  /** The table that a restored one replaces. */
  readonly replaced?: Pick<Database, 'getStored'> | undefined;
  readonly listStates?: (workspace: string) => Promise<readonly StateObject[]>;
  /** Writes an object with a part of an exported history. */
  readonly storeExport?: (key: string, content: string) => Promise<unknown>;
  /** Maximum number of entries in such an object. */
  readonly exportPart?: number;
  /** Identity providers of the deployment. */
  readonly providers?: readonly IdentityProvider[];
  /** Origin of the deployment, if it has the web console. */
  readonly consoleOrigin?: string | undefined;
}

/** A part of this size takes a few seconds and a few megabytes. */
const EXPORT_PART = 1_000;

const withoutBucket = (): never => {
  throw new Error('The admin commands were opened without a bucket');
};

/** Opens the stores that admin commands use, all on one database. */
export const openAdminDependencies = (
  database: Database,
  clock: Clock,
  {
    settling,
    removeSnapshot = async () => {},
    replaced,
    listStates = async () => [],
    storeExport = withoutBucket,
    exportPart = EXPORT_PART,
    providers = [],
    consoleOrigin,
  }: AdminOptions = {},
) => {
  const directory = openDirectoryWriter(database, clock);
  const workspaces = openWorkspaces(database, clock);
  const removal = openRemoval(directory, workspaces, settling, removeSnapshot);
  const afterRestore = openAfterRestore({
    ...{ database, clock, directory, workspaces, replaced, listStates, removeSnapshot },
    request: adminRequest,
  });
  return {
    directory,
    removal,
    workspaces,
    database,
    clock,
    afterRestore,
    /** Whether the table that a restored one replaces can be read. */
    hasReplaced: replaced !== undefined,
    storeExport,
    exportPart,
    providers,
    consoleOrigin,
  };
};

export type AdminDependencies = ReturnType<typeof openAdminDependencies>;
