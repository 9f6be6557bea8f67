import { endpoints } from '../../shared/http/endpoints.ts';
import { workspaceLock } from '../../shared/schemas/compiled/bodies.js';
import { openServices } from '../../shared/services.ts';
import { forceUnlockWorkspace } from './force-unlock.ts';
import { lockWorkspace } from './lock.ts';
import { unlockWorkspace } from './unlock.ts';

const services = openServices('workspace-locks');

export const handler = endpoints(
  'workspace-locks',
  {
    'workspaces.lock': lockWorkspace(services),
    'workspaces.unlock': unlockWorkspace(services),
    'workspaces.force-unlock': forceUnlockWorkspace(services),
  },
  { ...services, validators: { workspaceLock } },
);
