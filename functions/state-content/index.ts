import { openBucket } from '../../shared/blob/bucket.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openStateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';
import { openStateVersions } from '../../shared/store/state-versions/state-version-reader.ts';
import { serviceRequest } from '../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { readContent } from './read-content.ts';

const { TABLE_NAME, BUCKET_NAME } = readEnvironment('state-content');
const database = openDatabase({ tableName: TABLE_NAME });
const workspaces = openWorkspaces(database, now);
const stateVersions = openStateVersions(database);

/** Lambda handler of uploaded state content. */
export const handler = readContent(
  {
    store: { workspaces, stateVersions },
    changes: openStateVersionChanges(database, workspaces, stateVersions, now),
    bucket: openBucket(BUCKET_NAME),
  },
  () => serviceRequest('state-content'),
  createLogger('state-content'),
);
