import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { now } from '../../shared/lib/clock.ts';
import { openServices, type Services } from '../../shared/runtime/services.ts';
import { type Administration, openAdministration } from '../../shared/store/directory/organizations.ts';
import { openRemoval, type Removal } from '../../shared/store/directory/removal.ts';

/** Dependencies of the operations on teams and their access. */
export interface TeamServices extends Services {
  readonly administration: Administration;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => Pick<Removal, 'begin'>;
}

export const openTeamServices = (): TeamServices => {
  const services = openServices('teams');
  const administration = openAdministration(services.database, now);
  return {
    ...services,
    administration,
    removalFor: (request) => openRemoval(administration, services.store, () => request),
  };
};
