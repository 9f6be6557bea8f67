import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { openAuditTrailReader } from '../../shared/store/history/audit-trail-reader.ts';
import { openHistoryReader } from '../../shared/store/history/history-reader.ts';
import { listOrganizationTrail } from './organization-trail.ts';
import { listOriginalTrail } from './original-trail.ts';
import { listWorkspaceHistory } from './workspace-history.ts';

const opened = openDependencies('history');
const dependencies = {
  ...opened,
  history: openHistoryReader(opened.database),
  trail: openAuditTrailReader(opened.database),
};

/** Lambda handler of the history of changes. */
export const handler = createHandler(
  'history',
  {
    'workspaces.history': listWorkspaceHistory(dependencies),
    'organizations.audit-trail': listOrganizationTrail(dependencies),
    'audit-trail.list': listOriginalTrail(dependencies),
  },
  dependencies,
);
