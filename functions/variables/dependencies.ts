import type { Encrypt } from '../../shared/encryption/encrypt.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

/** What every operation on variables works with. */
export interface VariableDependencies extends Dependencies {
  readonly encrypt: Encrypt;
}
