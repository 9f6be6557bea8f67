import { openBucket } from '../../shared/blob/bucket.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { newStateVersion } from '../../shared/schemas/compiled/bodies.js';
import { openStateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';
import { createStateVersion } from './create.ts';
import { download, downloadJson } from './download.ts';
import { listStateVersions } from './list.ts';
import { listCurrentOutputs, listOutputs, showOutput } from './outputs.ts';
import { showCurrent, showStateVersion } from './show.ts';

const { BUCKET_NAME } = readEnvironment('state-versions');
const opened = openServices('state-versions');
const services = {
  ...opened,
  bucket: openBucket(BUCKET_NAME),
  changes: openStateVersionChanges(opened.database, opened.store, opened.store, now),
};

export const handler = createHandler(
  'state-versions',
  {
    'state-versions.create': createStateVersion(services),
    'state-versions.list': listStateVersions(services),
    'state-versions.show': showStateVersion(services),
    'state-versions.current': showCurrent(services),
    'state-versions.outputs': listOutputs(services),
    'state-versions.current-outputs': listCurrentOutputs(services),
    'state-versions.download': download(services),
    'state-versions.json-download': downloadJson(services),
    'state-outputs.show': showOutput(services),
  },
  { ...services, validators: { newStateVersion } },
);
