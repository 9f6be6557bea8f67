import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { now } from '../../shared/lib/clock.ts';
import { openServices, type Services } from '../../shared/runtime/services.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemoval, type RemovalStart } from '../../shared/store/directory/removal/open-removal.ts';

/** Dependencies of the operations on teams and their access. */
export interface TeamServices extends Services {
  readonly directory: DirectoryWriter;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => RemovalStart;
}

export const openTeamServices = (): TeamServices => {
  const services = openServices('teams');
  const directory = openDirectoryWriter(services.database, now);
  return {
    ...services,
    directory,
    removalFor: (request) => openRemoval(directory, services.store, () => request),
  };
};
