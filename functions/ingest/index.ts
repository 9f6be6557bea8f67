import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/env.ts';
import { openDeadLetters } from '../../shared/events/dead-letters.ts';
import { openBucket } from '../../shared/objects/bucket.ts';
import { createLogger } from '../../shared/observe/log.ts';
import { publishRelease } from '../../shared/store/administration-releases.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { openRunReports } from '../../shared/store/runs.ts';
import { openWorkspaces } from '../../shared/store/workspaces.ts';
import { ingest } from './ingest.ts';
import { readmeReader } from './readme.ts';

const { TABLE_NAME, BUCKET_NAME, DEAD_LETTERS_URL } = readEnvironment('ingest');
const database = openDatabase({ tableName: TABLE_NAME });

export const handler = ingest({
  ...openRunReports(database, openWorkspaces(database, now), now),
  publishRelease: (version) => publishRelease({ database, clock: now }, version),
  readReadme: readmeReader(openBucket(BUCKET_NAME)),
  deadLetters: openDeadLetters(DEAD_LETTERS_URL),
  logger: createLogger('ingest'),
});
