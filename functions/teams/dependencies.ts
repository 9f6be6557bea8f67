import { now } from '../../shared/lib/clock.ts';
import { type Dependencies, openDependencies } from '../../shared/runtime/dependencies.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on teams and their access. */
export interface TeamDependencies extends Dependencies {
  readonly directory: DirectoryWriter;
  /** Starts deletions; the function `cleanup` finishes them. */
  readonly removal: RemovalStart;
}

/** Opens the dependencies of the function `teams` from its environment. */
export const openTeamServices = (): TeamDependencies => {
  const dependencies = openDependencies('teams');
  const directory = openDirectoryWriter(dependencies.database, now);
  return {
    ...dependencies,
    directory,
    removal: openRemovalStart(directory, dependencies.store.workspaces),
  };
};
