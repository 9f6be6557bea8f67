import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { CheckForContent } from '../../shared/state-content/check-for-content.ts';

/** What every operation on locks works with. */
export interface LockDependencies extends Dependencies {
  readonly lookForContent: CheckForContent;
}
