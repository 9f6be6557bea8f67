import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import type { WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Variable } from '../../shared/domain/workspace/variable.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import type { VariableDependencies } from './dependencies.ts';

/** Path parameters of a variable: its id, and its workspace in the paths below a workspace. */
export type VariableParameters = { readonly variable_id: string; readonly workspace_id?: string };

/**
 * Finds the variable that a path names, for a caller who may perform the action in its workspace.
 * @throws DomainError 401; 404, also for a variable of another workspace than the path names.
 */
export const findVariable = async (
  { store }: Pick<VariableDependencies, 'store'>,
  digest: string,
  { workspace_id: workspaceId, variable_id: id }: VariableParameters,
  action: WorkspaceAction,
): Promise<{ readonly access: WorkspaceAccess; readonly variable: Variable }> => {
  const place = startEarly(isId('variable', id) ? store.variables.findPlace(id) : Promise.resolve(undefined));
  const read = startEarly(place.then((at) => at && store.variables.find(at)));
  const target = workspaceId === undefined ? { owner: () => place } : { id: workspaceId };
  const access = await authorizeWorkspace(store, digest, target, action);
  const variable = await read;
  if (variable?.workspace !== access.workspace.id) throw notFound();
  return { access, variable };
};
