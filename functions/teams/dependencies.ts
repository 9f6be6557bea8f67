import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import { now } from '../../shared/lib/clock.ts';
import { type Dependencies, openDependencies } from '../../shared/runtime/dependencies.ts';
import { type DirectoryAccess, openDirectoryAccess } from '../../shared/store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on teams and their access. */
export interface TeamDependencies extends Dependencies, DirectoryAccess {
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => RemovalStart;
}

/** Opens the dependencies of the function `teams` from its environment. */
export const openTeamServices = (): TeamDependencies => {
  const dependencies = openDependencies('teams');
  const access = openDirectoryAccess(dependencies.database, now);
  return {
    ...dependencies,
    ...access,
    removalFor: (request) => openRemovalStart(access.directoryFor(request), dependencies.store.workspaces),
  };
};
