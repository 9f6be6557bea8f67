import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { type Encrypt, openEncryption } from '../../shared/encryption/encrypt.ts';
import { now } from '../../shared/lib/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices, type Services } from '../../shared/runtime/services.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemoval, type RemovalStart } from '../../shared/store/directory/removal/open-removal.ts';

/** Dependencies of the operations on agent pools, SSH keys and VCS connections. */
export interface IntegrationServices extends Services {
  readonly directory: DirectoryWriter;
  readonly encrypt: Encrypt;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => RemovalStart;
}

export const openIntegrationServices = (): IntegrationServices => {
  const services = openServices('integrations');
  const directory = openDirectoryWriter(services.database, now);
  return {
    ...services,
    directory,
    encrypt: openEncryption(readEnvironment('integrations').SECRETS_KEY_ARN),
    removalFor: (request) => openRemoval(directory, services.store, () => request),
  };
};
