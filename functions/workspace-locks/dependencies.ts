import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { CheckForContent } from '../../shared/state-content/check-for-content.ts';

/** Dependencies of the operations on locks. */
export interface LockDependencies extends Dependencies {
  readonly lookForContent: CheckForContent;
}
