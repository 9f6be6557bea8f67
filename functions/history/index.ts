import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { openHistoryReader } from '../../shared/store/history/history-reader.ts';
import { listWorkspaceHistory } from './workspace-history.ts';

const opened = openDependencies('history');
const dependencies = { ...opened, history: openHistoryReader(opened.database) };

/** Lambda handler of the history of changes. */
export const handler = createHandler(
  'history',
  { 'workspaces.history': listWorkspaceHistory(dependencies) },
  dependencies,
);
