import { openBucketOnUse } from '../../shared/blob/bucket-on-use.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment, readPresignedOrigin } from '../../shared/runtime/environment.ts';
import { openStateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';
import { newStateVersion, stateRollback } from '../../shared/validators/compiled/bodies.js';
import { outputOperations } from './outputs.ts';
import { listResources } from './resources.ts';
import { uploadOperations } from './uploads.ts';
import { versionOperations } from './versions.ts';

const dependencies = openDependencies('state-versions');
const { database, store } = dependencies;

export const handler = createHandler(
  'state-versions',
  { ...versionOperations, ...uploadOperations, ...outputOperations, 'workspace-resources.list': listResources },
  {
    ...dependencies,
    bucket: openBucketOnUse(readEnvironment('state-versions').BUCKET_NAME, readPresignedOrigin()),
    changes: openStateVersionChanges(database, store.workspaces, store.stateVersions, now),
    validators: { newStateVersion, stateRollback },
  },
);
