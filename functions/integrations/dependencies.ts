import type { Encrypt } from '../../shared/encryption/encrypt.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { WithDirectory } from '../../shared/runtime/with-directory.ts';

/** Dependencies of the operations on agent pools, SSH keys and VCS connections. */
export interface IntegrationDependencies extends WithDirectory<ListDependencies> {
  readonly encrypt: Encrypt;
}
