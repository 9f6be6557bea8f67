import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { openAuditTrailReader } from '../../shared/store/history/audit-trail-reader.ts';
import { openHistoryReader } from '../../shared/store/history/history-reader.ts';
import { listOrganizationTrail } from './organization-trail.ts';
import { listOriginalTrail } from './original-trail.ts';
import { listWorkspaceHistory } from './workspace-history.ts';

const dependencies = openDependencies('history');

/** Lambda handler of the history of changes. */
export const handler = createHandler(
  'history',
  {
    'workspaces.history': listWorkspaceHistory,
    'organizations.audit-trail': listOrganizationTrail,
    'audit-trail.list': listOriginalTrail,
  },
  {
    ...dependencies,
    history: openHistoryReader(dependencies.database),
    trail: openAuditTrailReader(dependencies.database),
  },
);
