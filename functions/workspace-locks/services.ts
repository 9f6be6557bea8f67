import type { Services } from '../../shared/services.ts';
import type { LookForContent } from '../../shared/states/look-for-content.ts';

/** What every operation on locks works with. */
export interface LockServices extends Services {
  readonly lookForContent: LookForContent;
}
