import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { serviceRequest } from '../../shared/store/automation/service-request.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemoval, type Removal } from '../../shared/store/directory/removal/open-removal.ts';
import type { Database } from '../../shared/store/dynamodb/database.ts';
import { openReshard } from '../../shared/store/list-index/reshard.ts';
import { openWorkspaces, type Workspaces } from '../../shared/store/workspaces/workspace-store.ts';

/** What the commands work with. */
export interface AdminServices {
  readonly directory: DirectoryWriter;
  readonly removal: Removal;
  readonly spread: ReturnType<typeof openReshard>;
  readonly workspaces: Workspaces;
  readonly database: Database;
  readonly clock: Clock;
}

export const adminRequest = (): RequestContext => serviceRequest('admin');

interface Options {
  /** How long a command waits for requests under way, in milliseconds. */
  readonly settling?: number;
  readonly removeSnapshot?: (organization: string) => Promise<void>;
}

export const openAdminServices = (
  database: Database,
  clock: Clock,
  { settling, removeSnapshot }: Options = {},
): AdminServices => {
  const directory = openDirectoryWriter(database, clock);
  const workspaces = openWorkspaces(database, clock);
  const removal = openRemoval(directory, workspaces, adminRequest, settling, removeSnapshot);
  const spread = openReshard({ database, clock }, settling);
  return { directory, removal, spread, workspaces, database, clock };
};
