import { now } from '../../shared/clock.ts';
import { prefixes } from '../../shared/domain/ids.ts';
import { lock } from '../../shared/domain/transitions.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { base58 } from '../../shared/random.ts';
import type { Services } from '../../shared/services.ts';
import { changeLock } from './change-lock.ts';

/** `POST /workspaces/:workspace_id/actions/lock` (spec 3, 4.1): 409 when it is locked already, also by the caller. */
export const lockWorkspace =
  (services: Services): Operation<'workspaces.lock'> =>
  (request) => {
    const { body } = request;
    const reason = body?.reason ?? body?.data?.attributes?.reason ?? '';
    const id = prefixes.lock + base58(16);
    return changeLock(services, request, 'workspace.lock', (by) => lock(by, { id, reason, at: now() }));
  };
