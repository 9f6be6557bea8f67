import type { Seal } from '../../shared/secrets/seal.ts';
import type { Services } from '../../shared/services.ts';

/** What every operation on variables works with. */
export interface VariableServices extends Services {
  readonly seal: Seal;
}
