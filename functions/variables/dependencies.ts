import type { Encrypt } from '../../shared/encryption/encrypt.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

/** Dependencies of the operations on variables. */
export interface VariableDependencies extends Dependencies {
  readonly encrypt: Encrypt;
}
