import type { Bucket } from '../../shared/blob/bucket.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { StateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';

/** What every operation on state versions works with. */
export interface StateServices extends Services {
  readonly bucket: Bucket;
  readonly changes: StateVersionChanges;
}
