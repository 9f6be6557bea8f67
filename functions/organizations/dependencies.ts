import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import { now } from '../../shared/lib/clock.ts';
import { type Dependencies, openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { type DirectoryAccess, openDirectoryAccess } from '../../shared/store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on organizations, memberships, users and tokens. */
export interface OrganizationDependencies extends Dependencies, DirectoryAccess {
  /** Whether every user may create organizations, and not only site administrators (ORG-2). */
  readonly usersMayCreateOrganizations: boolean;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => RemovalStart;
}

/** Opens the dependencies of the function `organizations` from its environment. */
export const openOrganizationServices = (): OrganizationDependencies => {
  const dependencies = openDependencies('organizations');
  const access = openDirectoryAccess(dependencies.database, now);
  return {
    ...dependencies,
    ...access,
    usersMayCreateOrganizations: readEnvironment('organizations').USERS_MAY_CREATE_ORGANIZATIONS,
    removalFor: (request) => openRemovalStart(access.directoryFor(request), dependencies.store.workspaces),
  };
};
