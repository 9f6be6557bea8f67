import { unlock } from '../../shared/domain/transitions.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import type { Services } from '../../shared/services.ts';
import { changeLock } from './change-lock.ts';

/** `POST /workspaces/:workspace_id/actions/unlock` (spec 3, 4.1): for its holder only. */
export const unlockWorkspace =
  (services: Services): Operation<'workspaces.unlock'> =>
  (request) =>
    changeLock(services, request, 'workspace.unlock', unlock);
