import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openActivityReader } from '../../shared/store/history/activity-reader.ts';
import { listWorkspaces } from './list.ts';
import { listDeletedWorkspaces, listRecoverableItems } from './list-deleted.ts';
import { showStatistics } from './statistics.ts';

const environment = readEnvironment('workspace-list');
const dependencies = openListDependencies('workspace-list', openSnapshots(environment));

export const handler = createHandler(
  'workspace-list',
  {
    'workspaces.list': listWorkspaces,
    'organizations.statistics': showStatistics,
    'deleted-workspaces.list': listDeletedWorkspaces,
    'recoverable-items.list': listRecoverableItems,
  },
  {
    ...dependencies,
    activity: openActivityReader(dependencies.database, now),
    restorableDays: environment.DELETED_WORKSPACE_DAYS,
  },
);
