import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { type ListDependencies, openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { type DirectoryAccess, openDirectoryAccess } from '../../shared/store/directory/directory-writer.ts';
import { openProjects, type Projects } from '../../shared/store/directory/projects/projects.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on projects. */
export interface ProjectDependencies extends ListDependencies, DirectoryAccess {
  /** Opens the changes of projects on behalf of a request. */
  readonly projectsFor: (request: RequestContext) => Projects;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => RemovalStart;
}

/** Opens the dependencies of the function `projects` from its environment. */
export const openProjectServices = (): ProjectDependencies => {
  const dependencies = openListDependencies('projects', openSnapshots(readEnvironment('projects')));
  const access = openDirectoryAccess(dependencies.database, now);
  return {
    ...dependencies,
    ...access,
    projectsFor: (request) => openProjects(access.directoryFor(request)),
    removalFor: (request) => openRemovalStart(access.directoryFor(request), dependencies.store.workspaces),
  };
};
