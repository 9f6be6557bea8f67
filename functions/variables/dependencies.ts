import type { Encrypt } from '../../shared/encryption/encrypt.ts';
import type { Fingerprints } from '../../shared/encryption/fingerprint.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { VariableSets } from '../../shared/store/variable-sets/variable-set-store.ts';
import type { CountVerification } from '../../shared/store/variables/verification-limit.ts';

/** Dependencies of the operations on variables and variable sets. */
export interface VariableDependencies extends ListDependencies {
  readonly encrypt: Encrypt;
  readonly fingerprints: Fingerprints;
  readonly variableSets: VariableSets;
  readonly countVerification: CountVerification;
}
