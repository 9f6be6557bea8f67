import type { Bucket } from '../../shared/blob/bucket.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { StateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';

/** Dependencies of the operations on state versions. */
export interface StateDependencies extends Dependencies {
  readonly bucket: Bucket;
  readonly changes: StateVersionChanges;
}
