import { forceUnlock } from '../../shared/domain/transitions.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import type { Services } from '../../shared/services.ts';
import { changeLock } from './change-lock.ts';

/** `POST /workspaces/:workspace_id/actions/force-unlock` (spec 3, 4.1): whoever holds the lock. */
export const forceUnlockWorkspace =
  (services: Services): Operation<'workspaces.force-unlock'> =>
  (request) =>
    changeLock(services, request, 'workspace.force-unlock', forceUnlock);
