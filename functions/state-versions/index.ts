import { openBucketOnUse } from '../../shared/blob/bucket-on-use.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment, readPresignedOrigin } from '../../shared/runtime/environment.ts';
import { openStateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';
import { newStateVersion, stateRollback } from '../../shared/validators/compiled/bodies.js';
import { listCurrentOutputs, listOutputs, showOutput } from './outputs.ts';
import {
  createStateVersion,
  deletePermanently,
  download,
  downloadJson,
  restore,
  rollBack,
  softDelete,
} from './uploads.ts';
import { listStateVersions, showCurrent, showStateVersion } from './versions.ts';

const { BUCKET_NAME } = readEnvironment('state-versions');
const opened = openDependencies('state-versions');
const dependencies = {
  ...opened,
  bucket: openBucketOnUse(BUCKET_NAME, readPresignedOrigin()),
  changes: openStateVersionChanges(opened.database, opened.store.workspaces, opened.store.stateVersions, now),
};

export const handler = createHandler(
  'state-versions',
  {
    'state-versions.create': createStateVersion(dependencies),
    'state-versions.roll-back': rollBack(dependencies),
    'state-versions.list': listStateVersions(dependencies),
    'state-versions.show': showStateVersion(dependencies),
    'state-versions.current': showCurrent(dependencies),
    'state-versions.outputs': listOutputs(dependencies),
    'state-versions.current-outputs': listCurrentOutputs(dependencies),
    'state-versions.download': download(dependencies),
    'state-versions.json-download': downloadJson(dependencies),
    'state-versions.soft-delete': softDelete(dependencies),
    'state-versions.restore': restore(dependencies),
    'state-versions.delete': deletePermanently(dependencies),
    'state-outputs.show': showOutput(dependencies),
  },
  { ...dependencies, validators: { newStateVersion, stateRollback } },
);
