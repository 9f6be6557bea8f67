import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { type ListDependencies, openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on teams and their access. */
export interface TeamDependencies extends ListDependencies {
  readonly directory: DirectoryWriter;
  /** Starts deletions; the function `cleanup` finishes them. */
  readonly removal: RemovalStart;
}

/** Opens the dependencies of the function `teams` from its environment. */
export const openTeamServices = (): TeamDependencies => {
  const dependencies = openListDependencies('teams', openSnapshots(readEnvironment('teams')));
  const directory = openDirectoryWriter(dependencies.database, now);
  return {
    ...dependencies,
    directory,
    removal: openRemovalStart(directory, dependencies.store.workspaces),
  };
};
