import { stateKey } from '../blob/blob-keys.ts';
import type { Bucket } from '../blob/bucket.ts';
import { limits } from '../domain/limits.ts';
import type { StateVersion } from '../domain/state-versions/state-version.ts';
import type { RequestContext } from '../domain/transitions/transition.ts';
import { isAlive, type Workspace } from '../domain/workspace/workspace-record.ts';
import type { StateVersionChanges } from '../store/state-versions/state-version-changes.ts';
import type { StateVersions } from '../store/state-versions/state-version-reader.ts';
import type { Workspaces } from '../store/workspaces/workspace-store.ts';
import { readState } from './read-state.ts';

/** Dependencies of the content check. */
export interface ContentDependencies {
  readonly store: {
    readonly workspaces: Pick<Workspaces, 'find'>;
    readonly stateVersions: Pick<StateVersions, 'find'>;
  };
  readonly changes: StateVersionChanges;
  readonly bucket: Bucket;
}

/** Status of a state version after a content check; `deleted` if it was deleted, or its workspace permanently. */
export interface ContentCheckResult {
  readonly status: StateVersion['status'] | 'deleted';
  /** Object version of the content; absent until the state version is finalized. */
  readonly object?: string;
}

/** Tells whether the states of a workspace are kept: it exists, or is deleted and has not been purged. */
export const keepsStates = (workspace: Workspace | undefined): workspace is Workspace =>
  workspace !== undefined && (workspace.deletedAt === undefined || workspace.purgeAt !== undefined);

/** Maximum number of uploads to one URL that are searched for the announced content. */
const MAX_UPLOADS = 10;

/** Returns the newest upload that has the announced MD5; undefined if there is none. Deletes other uploads. */
const findContent = async (bucket: Bucket, version: StateVersion) => {
  const key = stateKey('state', version);
  for (let uploads = 0; uploads < MAX_UPLOADS; uploads++) {
    const object = await bucket.find(key);
    if (object === undefined) return undefined;
    // An upload that exceeds the limit is not read.
    if (object.size <= limits.state) {
      const read = await readState(await bucket.read(key, object.version));
      if (read.md5 === version.md5) return { ...read, object: object.version };
    }
    await bucket.removeVersion(key, object.version);
  }
  return undefined;
};

/**
 * Checks whether the content of a state version has been uploaded and, if so, finalizes the state version (STATE-7,
 * STATE-9). It may be repeated and may run concurrently.
 */
export const storeContent = async (
  { store, changes, bucket }: ContentDependencies,
  { workspace: workspaceId, id, createdAt: at }: Pick<StateVersion, 'workspace' | 'id' | 'createdAt'>,
  request: RequestContext,
): Promise<ContentCheckResult> => {
  const [workspace, version] = await Promise.all([
    store.workspaces.find(workspaceId),
    store.stateVersions.find({ workspace: workspaceId, id, at }),
  ]);
  if (!keepsStates(workspace) || !version) return { status: 'deleted' };
  // The content that is uploaded to a deleted workspace waits for a restoration (DEL-22).
  if (version.status !== 'pending' || !isAlive(workspace)) return checkResult(version);
  const content = await findContent(bucket, version);
  if (content === undefined) return { status: 'pending' };
  const { md5: _, lineage, ...about } = content;
  const read = { ...version, lineage: version.lineage ?? lineage };
  const finalized = await changes.finalizeStateVersion(workspace, read, about, request);
  return finalized ? checkResult(finalized) : { status: 'deleted' };
};

const checkResult = ({ status, content }: StateVersion): ContentCheckResult => ({
  status,
  ...(content && { object: content.object }),
});
