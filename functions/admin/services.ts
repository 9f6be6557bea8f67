import type { Clock } from '../../shared/clock.ts';
import type { Request } from '../../shared/domain/transitions.ts';
import { base58 } from '../../shared/random.ts';
import { type Administration, openAdministration } from '../../shared/store/administration.ts';
import { openRemoval, type Removal } from '../../shared/store/administration-removal.ts';
import type { Database } from '../../shared/store/database.ts';
import { openWorkspaces, type Workspaces } from '../../shared/store/workspaces.ts';
import { revokeAccess, unassignSshKey } from './transitions.ts';

/** What the commands work with. */
export interface Services {
  readonly administration: Administration;
  readonly removal: Removal;
  readonly workspaces: Workspaces;
  readonly database: Database;
  readonly clock: Clock;
}

/** Each change of administration is a request of its own. */
export const adminRequest = (): Request => ({
  id: `admin-${base58(16)}`,
  principal: { kind: 'service', id: 'admin', name: 'admin' },
});

/** @param settling how long a deletion waits for requests under way, in milliseconds. */
export const openServices = (database: Database, clock: Clock, settling?: number): Services => {
  const administration = openAdministration(database, clock);
  const workspaces = openWorkspaces(database, clock);
  const removal = openRemoval(
    administration,
    workspaces,
    {
      revokeAccess: (workspace, team) => workspaces.apply(workspace, revokeAccess(team.id), adminRequest()),
      unassignSshKey: (workspace, key) => workspaces.apply(workspace, unassignSshKey(key), adminRequest()),
    },
    settling,
  );
  return { administration, removal, workspaces, database, clock };
};
