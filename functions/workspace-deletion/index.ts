import { forceDelete, safeDelete } from '../../shared/domain/transitions/delete-workspace.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { openLookForContent } from '../../shared/state-content/check-for-content.ts';
import { deleteWorkspace } from './delete-workspace.ts';

const { STATE_CONTENT_FUNCTION } = readEnvironment('workspace-deletion');
const services = { ...openServices('workspace-deletion'), lookForContent: openLookForContent(STATE_CONTENT_FUNCTION) };
const safely = deleteWorkspace(services, 'workspace.safe-delete', safeDelete);
const forcibly = deleteWorkspace(services, 'workspace.force-delete', forceDelete);

export const handler = createHandler(
  'workspace-deletion',
  {
    'workspaces.safe-delete': safely,
    'workspaces.safe-delete-by-name': safely,
    'workspaces.force-delete': forcibly,
    'workspaces.force-delete-by-name': forcibly,
  },
  services,
);
