import { stateKeys } from '../../shared/blob/blob-keys.ts';
import { openBucket } from '../../shared/blob/bucket.ts';
import { editions } from '../../shared/domain/editions.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openStateDependants } from '../../shared/store/state-versions/state-dependants.ts';
import { openStateRetention } from '../../shared/store/state-versions/state-retention.ts';
import { serviceRequest } from '../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { retainStates } from './retain-states.ts';

const { TABLE_NAME, BUCKET_NAME, EDITION } = readEnvironment('state-retention');
const database = openDatabase({ tableName: TABLE_NAME });
const bucket = openBucket(BUCKET_NAME);

/** Lambda handler of the scheduled state retention. */
export const handler = retainStates({
  features: editions[EDITION],
  retention: openStateRetention(database, openWorkspaces(database, now), now, () => serviceRequest('state-retention')),
  dependants: openStateDependants(database, async (version) => {
    await Promise.all(stateKeys(version).map(bucket.removeWithVersions));
  }),
  logger: createLogger('state-retention'),
});
