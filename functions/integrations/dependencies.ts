import { type Encrypt, openEncryption } from '../../shared/encryption/encrypt.ts';
import { now } from '../../shared/lib/clock.ts';
import { type ListDependencies, openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../../shared/store/directory/removal/begin-removal.ts';

/** Dependencies of the operations on agent pools, SSH keys and VCS connections. */
export interface IntegrationDependencies extends ListDependencies {
  readonly directory: DirectoryWriter;
  readonly encrypt: Encrypt;
  /** Starts deletions; the function `cleanup` finishes them. */
  readonly removal: RemovalStart;
}

/** Opens the dependencies of the function `integrations` from its environment. */
export const openIntegrationServices = (): IntegrationDependencies => {
  const dependencies = openListDependencies('integrations');
  const directory = openDirectoryWriter(dependencies.database, now);
  return {
    ...dependencies,
    directory,
    encrypt: openEncryption(readEnvironment('integrations').SECRETS_KEY_ARN),
    removal: openRemovalStart(directory, dependencies.store.workspaces),
  };
};
