import { stateKey } from '../blob/blob-keys.ts';
import type { Bucket } from '../blob/bucket.ts';
import { limits } from '../domain/limits.ts';
import type { StateVersion } from '../domain/state-versions/state-version.ts';
import type { RequestContext } from '../domain/transitions/transition.ts';
import { isAlive } from '../domain/workspace/workspace-record.ts';
import type { StateVersionChanges } from '../store/state-versions/state-version-changes.ts';
import type { StateVersions } from '../store/state-versions/state-version-reader.ts';
import type { Workspaces } from '../store/workspaces/workspace-store.ts';
import { readState } from './read-state.ts';

/** What reading content works with. */
export interface ContentDependencies {
  readonly store: Pick<Workspaces, 'find'> & Pick<StateVersions, 'readStateVersion'>;
  readonly changes: StateVersionChanges;
  readonly bucket: Bucket;
}

/** What has become of a version whose content was looked for. */
export interface ContentCheckResult {
  readonly status: StateVersion['status'] | 'gone';
  /** Which version of its object counts, as far as is known. */
  readonly object?: string;
}

/** Uploads to one URL that are looked through for the right one. */
const UPLOADS = 10;

/** The newest content of a version, if any has come; what is not what was announced is taken away. */
const findContent = async (bucket: Bucket, version: StateVersion) => {
  const key = stateKey('state', version);
  for (let uploads = 0; uploads < UPLOADS; uploads++) {
    const object = await bucket.find(key);
    if (object === undefined) return undefined;
    // What is larger than a state may be is not even read.
    if (object.size <= limits.state) {
      const read = await readState(await bucket.read(key, object.version));
      if (read.md5 === version.md5) return { ...read, object: object.version };
    }
    await bucket.removeVersion(key, object.version);
  }
  return undefined;
};

/**
 * Looks for the content of a state version and, where it has come, makes it a part of the workspace. May be done any
 * number of times, by several at once.
 */
export const storeContent = async (
  { store, changes, bucket }: ContentDependencies,
  { workspace: workspaceId, id, createdAt: at }: Pick<StateVersion, 'workspace' | 'id' | 'createdAt'>,
  request: RequestContext,
): Promise<ContentCheckResult> => {
  const [workspace, version] = await Promise.all([
    store.find(workspaceId),
    store.readStateVersion({ workspace: workspaceId, id, at }),
  ]);
  if (!isAlive(workspace) || !version) return { status: 'gone' };
  if (version.status !== 'pending') return checkResult(version);
  const content = await findContent(bucket, version);
  if (content === undefined) return { status: 'pending' };
  const { md5: _, lineage, ...about } = content;
  const read = { ...version, lineage: version.lineage ?? lineage };
  const finalized = await changes.finalizeStateVersion(workspace, read, about, request);
  return finalized ? checkResult(finalized) : { status: 'gone' };
};

const checkResult = ({ status, content }: StateVersion): ContentCheckResult => ({
  status,
  ...(content && { object: content.object }),
});
