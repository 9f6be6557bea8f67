import { readStateKey } from '../../shared/blob/blob-keys.ts';
import type { StateVersion } from '../../shared/domain/state-versions/state-version.ts';
import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import {
  type ContentCheckResult,
  type ContentDependencies,
  keepsStates,
  storeContent,
} from '../../shared/state-content/store-content.ts';

/** Trigger of the read: an event of the bucket, or a request that does not wait for the event. */
type Occasion =
  | { readonly workspace: string; readonly stateVersion: string; readonly createdAt: number }
  | { readonly detail: { readonly object: { readonly key: string; readonly 'version-id': string } } };

type Named = Pick<StateVersion, 'workspace' | 'id' | 'createdAt'>;

/** Reads content that was uploaded, and makes it a part of its workspace. */
export const readContent = (dependencies: ContentDependencies, requestOf: () => RequestContext, logger: Logger) => {
  const { store, changes, bucket } = dependencies;

  const readState = async (whose: Named): Promise<ContentCheckResult> => {
    const looked = await storeContent(dependencies, whose, requestOf());
    logger.info(messages.STATE_CONTENT_CHECKED, { workspace: whose.workspace, stateVersion: whose.id, ...looked });
    return looked;
  };

  /** Removes an uploaded object unless it is the checked content of the state version. */
  const removeOthers = async (
    whose: Named,
    key: string,
    version: string,
    { status, object }: ContentCheckResult,
  ): Promise<void> => {
    if (status === 'pending' || object === version) return;
    const { workspace, id, createdAt: at } = whose;
    const known = await store.stateVersions.find({ workspace, id, at });
    if (known?.content?.object !== version) await bucket.removeVersion(key, version);
  };

  const readJson = async (whose: Named, key: string, version: string): Promise<ContentCheckResult> => {
    const { workspace: workspaceId, id, createdAt: at } = whose;
    const [workspace, known] = await Promise.all([
      store.workspaces.find(workspaceId),
      store.stateVersions.find({ workspace: workspaceId, id, at }),
    ]);
    const isWanted = keepsStates(workspace) && known !== undefined && known.status !== 'discarded';
    const pinned = isWanted ? await changes.pinJsonObject(known, version) : undefined;
    if (pinned !== version) await bucket.removeVersion(key, version);
    return { status: known?.status ?? 'deleted' };
  };

  return async (occasion: Occasion): Promise<ContentCheckResult | undefined> => {
    if (!('detail' in occasion)) {
      const { workspace, stateVersion: id, createdAt } = occasion;
      return readState({ workspace, id, createdAt });
    }
    const { key, 'version-id': version } = occasion.detail.object;
    const whose = readStateKey(key);
    if (whose === undefined) return undefined;
    if (whose.kind === 'json') return readJson(whose, key, version);
    const looked = await readState(whose);
    await removeOthers(whose, key, version, looked);
    return looked;
  };
};
