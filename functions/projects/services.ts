import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices, type Services } from '../../shared/runtime/services.ts';
import { type Administration, openAdministration } from '../../shared/store/directory/organizations.ts';
import { openProjects, type Projects } from '../../shared/store/directory/projects.ts';
import { openRemoval, type Removal } from '../../shared/store/directory/removal.ts';

/** Dependencies of the operations on projects. */
export interface ProjectServices extends Services {
  readonly administration: Administration;
  readonly projects: Projects;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => Pick<Removal, 'begin'>;
}

export const openProjectServices = (): ProjectServices => {
  const services = openServices('projects', openSnapshots(readEnvironment('projects')));
  const administration = openAdministration(services.database, now);
  return {
    ...services,
    administration,
    projects: openProjects(administration),
    removalFor: (request) => openRemoval(administration, services.store, () => request),
  };
};
