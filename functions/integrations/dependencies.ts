import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import { type Encrypt, openEncryption } from '../../shared/encryption/encrypt.ts';
import { now } from '../../shared/lib/clock.ts';
import { type ListDependencies, openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { type DirectoryAccess, openDirectoryAccess } from '../../shared/store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on agent pools, SSH keys and VCS connections. */
export interface IntegrationDependencies extends ListDependencies, DirectoryAccess {
  readonly encrypt: Encrypt;
  /** Starts deletions on behalf of a request; the function `cleanup` finishes them. */
  readonly removalFor: (request: RequestContext) => RemovalStart;
}

/** Opens the dependencies of the function `integrations` from its environment. */
export const openIntegrationServices = (): IntegrationDependencies => {
  const dependencies = openListDependencies('integrations');
  const access = openDirectoryAccess(dependencies.database, now);
  return {
    ...dependencies,
    ...access,
    encrypt: openEncryption(readEnvironment('integrations').SECRETS_KEY_ARN),
    removalFor: (request) => openRemovalStart(access.directoryFor(request), dependencies.store.workspaces),
  };
};
