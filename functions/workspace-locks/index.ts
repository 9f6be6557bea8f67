import { createHandler } from '../../shared/http/stack.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { workspaceLock } from '../../shared/schemas/compiled/bodies.js';
import { openLookForContent } from '../../shared/state-content/check-for-content.ts';
import { forceUnlockWorkspace } from './force-unlock.ts';
import { lockWorkspace } from './lock.ts';
import { unlockWorkspace } from './unlock.ts';

const { STATE_CONTENT_FUNCTION } = readEnvironment('workspace-locks');
const services = { ...openServices('workspace-locks'), lookForContent: openLookForContent(STATE_CONTENT_FUNCTION) };

export const handler = createHandler(
  'workspace-locks',
  {
    'workspaces.lock': lockWorkspace(services),
    'workspaces.unlock': unlockWorkspace(services),
    'workspaces.force-unlock': forceUnlockWorkspace(services),
  },
  { ...services, validators: { workspaceLock } },
);
