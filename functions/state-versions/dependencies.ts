import type { Bucket } from '../../shared/blob/bucket.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { StateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';

/** What every operation on state versions works with. */
export interface StateDependencies extends Dependencies {
  readonly bucket: Bucket;
  readonly changes: StateVersionChanges;
}
