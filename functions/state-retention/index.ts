import { now } from '../../shared/clock.ts';
import { editions } from '../../shared/domain/editions.ts';
import { readEnvironment } from '../../shared/env.ts';
import { openBucket } from '../../shared/objects/bucket.ts';
import { stateKeys } from '../../shared/objects/keys.ts';
import { createLogger } from '../../shared/observe/log.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { serviceRequest } from '../../shared/store/service-request.ts';
import { openStateRemains } from '../../shared/store/state-remains.ts';
import { openStateRetention } from '../../shared/store/state-retention.ts';
import { openWorkspaces } from '../../shared/store/workspaces.ts';
import { retainStates } from './retain-states.ts';

const { TABLE_NAME, BUCKET_NAME, EDITION } = readEnvironment('state-retention');
const database = openDatabase({ tableName: TABLE_NAME });
const bucket = openBucket(BUCKET_NAME);

export const handler = retainStates({
  features: editions[EDITION],
  retention: openStateRetention(database, openWorkspaces(database, now), now, () => serviceRequest('state-retention')),
  remains: openStateRemains(database, async (whose) => {
    await Promise.all(stateKeys(whose).map(bucket.removeWhole));
  }),
  logger: createLogger('state-retention'),
});
