import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/env.ts';
import { openBucket } from '../../shared/objects/bucket.ts';
import { createLogger } from '../../shared/observe/log.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { serviceRequest } from '../../shared/store/service-request.ts';
import { openStateVersionChanges } from '../../shared/store/state-version-changes.ts';
import { openStateVersions } from '../../shared/store/state-versions.ts';
import { openWorkspaces } from '../../shared/store/workspaces.ts';
import { readContent } from './read-content.ts';

const { TABLE_NAME, BUCKET_NAME } = readEnvironment('state-content');
const database = openDatabase({ tableName: TABLE_NAME });
const workspaces = openWorkspaces(database, now);
const versions = openStateVersions(database);

export const handler = readContent(
  {
    store: { ...workspaces, ...versions },
    changes: openStateVersionChanges(database, workspaces, versions, now),
    bucket: openBucket(BUCKET_NAME),
  },
  () => serviceRequest('state-content'),
  createLogger('state-content'),
);
