import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { type Encrypt, openEncryption } from '../../shared/encryption/encrypt.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import type { RouteIdOf } from '../../shared/routes/index.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices, type Services } from '../../shared/runtime/services.ts';
import { type Administration, openAdministration } from '../../shared/store/directory/organizations.ts';
import { openProjects, type Projects } from '../../shared/store/directory/projects.ts';
import { openRemoval, type Removal } from '../../shared/store/directory/removal.ts';

/** What the directory works with: it is changed by the same code as by the commands of administration. */
export interface DirectoryServices extends Services {
  readonly administration: Administration;
  readonly encrypt: Encrypt;
  readonly projects: Projects;
  /** Deletions, in the name of who asked for them: they are begun here, and finished by the cleanup. */
  readonly removalFor: (request: RequestContext) => Pick<Removal, 'begin'>;
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
    encrypt: openEncryption(environment.SECRETS_KEY_ARN),
    projects: openProjects(administration),
    removalFor: (request) => openRemoval(administration, services.store, () => request),
  };
};
