import { authorizeWorkspace } from '../../shared/access/authorize.ts';
import type { Action } from '../../shared/access/decide.ts';
import { changedWorkspace } from '../../shared/answers/changed-workspace.ts';
import type { Request, Transition } from '../../shared/domain/transitions.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import type { Services } from '../../shared/services.ts';

interface LockRequest {
  readonly id: string;
  readonly digest: string;
  readonly parameters: { readonly workspace_id: string };
}

/** What lock, unlock and force-unlock have in common: who may, the transition, the workspace after it. */
export const changeLock = async (
  services: Services,
  { id, digest, parameters }: LockRequest,
  action: Action,
  transition: (request: Request) => Transition,
): Promise<Document> => {
  const { store } = services;
  const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, action);
  const request: Request = { id, principal: access.caller.principal };
  return changedWorkspace(services, access, await store.apply(access.workspace, transition(request), request));
};
