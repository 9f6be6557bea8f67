import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { type Encrypt, openEncryption } from '../../shared/encryption/encrypt.ts';
import { now } from '../../shared/lib/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices, type Services } from '../../shared/runtime/services.ts';
import { type Administration, openAdministration } from '../../shared/store/directory/organizations.ts';
import { openRemoval, type Removal } from '../../shared/store/directory/removal.ts';

/** Dependencies of the operations on agent pools, SSH keys and VCS connections. */
export interface IntegrationServices extends Services {
  readonly administration: Administration;
  readonly encrypt: Encrypt;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => Pick<Removal, 'begin'>;
}

export const openIntegrationServices = (): IntegrationServices => {
  const services = openServices('integrations');
  const administration = openAdministration(services.database, now);
  return {
    ...services,
    administration,
    encrypt: openEncryption(readEnvironment('integrations').SECRETS_KEY_ARN),
    removalFor: (request) => openRemoval(administration, services.store, () => request),
  };
};
