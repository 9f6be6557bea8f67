import type { Encrypt } from '../../shared/encryption/encrypt.ts';
import type { Services } from '../../shared/runtime/services.ts';

/** What every operation on variables works with. */
export interface VariableServices extends Services {
  readonly encrypt: Encrypt;
}
