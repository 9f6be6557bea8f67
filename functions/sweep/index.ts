import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/env.ts';
import { openBucket } from '../../shared/objects/bucket.ts';
import { catalogueKey, readmeKey, stateKeys } from '../../shared/objects/keys.ts';
import { createLogger } from '../../shared/observe/log.ts';
import { openAdministration } from '../../shared/store/administration.ts';
import { openRemoval } from '../../shared/store/administration-removal.ts';
import { openAutoDestroy } from '../../shared/store/auto-destroy.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { serviceRequest } from '../../shared/store/service-request.ts';
import { openSweep } from '../../shared/store/sweep.ts';
import { openWorkspaces } from '../../shared/store/workspaces.ts';
import { sweepDue } from './sweep.ts';

const { TABLE_NAME, BUCKET_NAME } = readEnvironment('sweep');
const database = openDatabase({ tableName: TABLE_NAME });
const workspaces = openWorkspaces(database, now);
const newRequest = () => serviceRequest('sweep');
const bucket = openBucket(BUCKET_NAME);
const removal = openRemoval(openAdministration(database, now), workspaces, newRequest, undefined, (organization) =>
  bucket.remove(catalogueKey(organization)),
);
const autoDestroy = openAutoDestroy(database, workspaces, now, newRequest);

const sweep = openSweep(database, removal, autoDestroy, {
  hide: async (whose) => {
    await Promise.all(stateKeys(whose).map(bucket.remove));
  },
  remove: async (whose) => {
    await Promise.all(stateKeys(whose).map(bucket.removeWhole));
  },
  hideReadme: (workspace, configurationVersion) => bucket.remove(readmeKey(workspace, configurationVersion)),
});

export const handler = sweepDue(sweep, autoDestroy, now, createLogger('sweep'));
