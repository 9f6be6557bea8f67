import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/env.ts';
import { createLogger } from '../../shared/observe/log.ts';
import { openAdministration } from '../../shared/store/administration.ts';
import { openRemoval } from '../../shared/store/administration-removal.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { serviceRequest } from '../../shared/store/service-request.ts';
import { openSweep } from '../../shared/store/sweep.ts';
import { openWorkspaces } from '../../shared/store/workspaces.ts';
import { sweepDue } from './sweep.ts';

const { TABLE_NAME } = readEnvironment('sweep');
const database = openDatabase({ tableName: TABLE_NAME });
const removal = openRemoval(openAdministration(database, now), openWorkspaces(database, now), () =>
  serviceRequest('sweep'),
);

export const handler = sweepDue(openSweep(database, removal), now, createLogger('sweep'));
