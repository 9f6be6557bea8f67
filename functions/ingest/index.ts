import { openBucketOnUse } from '../../shared/blob/bucket-on-use.ts';
import { openDeadLetters } from '../../shared/events/dead-letters.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { changeReleases } from '../../shared/store/directory/releases.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openRunReports } from '../../shared/store/runs/run-reports.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { ingest } from './ingest.ts';
import { readmeReader } from './reports.ts';

const { TABLE_NAME, BUCKET_NAME, DEAD_LETTERS_URL } = readEnvironment('ingest');
const database = openDatabase({ tableName: TABLE_NAME });

/** Lambda handler of runner events. */
export const handler = ingest({
  ...openRunReports(database, openWorkspaces(database, now), now),
  publishRelease: (version) => changeReleases({ database, clock: now }, 'publish', version),
  readReadme: readmeReader(openBucketOnUse(BUCKET_NAME)),
  deadLetters: openDeadLetters(DEAD_LETTERS_URL),
  logger: createLogger('ingest'),
});
