import { now } from '../../shared/lib/clock.ts';
import { type Dependencies, openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on organizations, memberships, users and tokens. */
export interface OrganizationDependencies extends Dependencies {
  readonly directory: DirectoryWriter;
  /** Whether every user may create organizations, and not only site administrators (ORG-2). */
  readonly usersMayCreateOrganizations: boolean;
  /** Starts deletions; the function `cleanup` finishes them. */
  readonly removal: RemovalStart;
}

/** Opens the dependencies of the function `organizations` from its environment. */
export const openOrganizationServices = (): OrganizationDependencies => {
  const dependencies = openDependencies('organizations');
  const directory = openDirectoryWriter(dependencies.database, now);
  return {
    ...dependencies,
    directory,
    usersMayCreateOrganizations: readEnvironment('organizations').USERS_MAY_CREATE_ORGANIZATIONS,
    removal: openRemovalStart(directory, dependencies.store.workspaces),
  };
};
