import { now } from '../../shared/clock.ts';
import type { Request } from '../../shared/domain/transitions.ts';
import { readEnvironment } from '../../shared/env.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import type { RouteIdOf } from '../../shared/routes.ts';
import { openSeal, type Seal } from '../../shared/secrets/seal.ts';
import { openServices, type Services } from '../../shared/services.ts';
import { openSnapshots } from '../../shared/snapshots/open-snapshots.ts';
import { type Administration, openAdministration } from '../../shared/store/administration.ts';
import { openProjects, type Projects } from '../../shared/store/administration-projects.ts';
import { openRemoval, type Removal } from '../../shared/store/administration-removal.ts';

/** What the directory works with: it is changed by the same code as by the commands of administration. */
export interface DirectoryServices extends Services {
  readonly administration: Administration;
  readonly seal: Seal;
  readonly projects: Projects;
  /** Deletions, in the name of who asked for them: they are begun here, and finished by the sweep. */
  readonly removalFor: (request: Request) => Pick<Removal, 'begin'>;
}

/** The operations on one kind of record: all its routes, and no others. */
export type Group<P extends string> = {
  readonly [R in Extract<RouteIdOf<'directory'>, `${P}.${string}`>]: Operation<R>;
};

export const openDirectoryServices = (): DirectoryServices => {
  const environment = readEnvironment('directory');
  const services = openServices('directory', openSnapshots(environment));
  const administration = openAdministration(services.database, now);
  return {
    ...services,
    administration,
    seal: openSeal(environment.SECRETS_KEY_ARN),
    projects: openProjects(administration),
    removalFor: (request) => openRemoval(administration, services.store, () => request),
  };
};
