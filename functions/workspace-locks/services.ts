import type { Services } from '../../shared/runtime/services.ts';
import type { LookForContent } from '../../shared/state-content/check-for-content.ts';

/** What every operation on locks works with. */
export interface LockServices extends Services {
  readonly lookForContent: LookForContent;
}
