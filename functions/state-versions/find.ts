import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import type { WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { outputIdStem } from '../../shared/domain/state-versions/state-outputs.ts';
import type { StateVersion } from '../../shared/domain/state-versions/state-version.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import type { StateDependencies } from './dependencies.ts';

export interface FoundStateVersion {
  readonly access: WorkspaceAccess;
  readonly version: StateVersion;
}

/**
 * Finds a state version by its id or by the id of one of its outputs, and authorizes the caller for `action` on its
 * workspace.
 * @throws DomainError 401, 404.
 */
export const findStateVersion = async (
  { store }: Pick<StateDependencies, 'store'>,
  digest: string,
  id: string,
  action: WorkspaceAction,
): Promise<FoundStateVersion> => {
  const isVersion = isId('stateVersion', id);
  const isNamed = (known: string) => (isVersion ? known === id : outputIdStem(known) === outputIdStem(id));
  const stored = isVersion || isId('stateOutput', id) ? store.stateVersions.findPlace(id) : Promise.resolve(undefined);
  const place = startEarly(stored.then((at) => (at && isNamed(at.id) ? at : undefined)));
  const read = startEarly(place.then((at) => at && store.stateVersions.find(at)));
  const access = await authorizeWorkspace(store, digest, { owner: () => place }, action);
  const version = await read;
  if (version === undefined) throw notFound();
  return { access, version };
};

/**
 * Finds the current state version of a workspace, and authorizes the caller for `action` on the workspace. The version is
 * undefined if the workspace has no state.
 * @throws DomainError 401, 404.
 */
export const findCurrent = async (
  { store }: Pick<StateDependencies, 'store'>,
  digest: string,
  id: string,
  action: WorkspaceAction,
): Promise<{ readonly access: WorkspaceAccess; readonly version: StateVersion | undefined }> => {
  const read = (workspace: WorkspaceAccess['workspace']) =>
    workspace.current === null
      ? undefined
      : store.stateVersions.find({ workspace: workspace.id, id: workspace.current.id, at: workspace.current.at });
  const { results: version, ...access } = await authorizeWorkspace(
    store,
    digest,
    { id },
    action,
    async (_, workspace) => workspace && read(workspace),
  );
  return { access, version };
};
