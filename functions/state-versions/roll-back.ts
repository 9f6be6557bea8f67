import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { stateKey } from '../../shared/blob/blob-keys.ts';
import { preloadBucket } from '../../shared/blob/bucket-on-use.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import {
  availableContent,
  type StateContent,
  type StateVersion,
} from '../../shared/domain/state-versions/state-version.ts';
import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { retryAfterContentCheck } from '../../shared/state-content/retry-after-content-check.ts';
import { pendingVersion, storeContent } from './create.ts';
import type { StateDependencies } from './dependencies.ts';
import { presentStateVersion } from './present.ts';

/** A finalized state version, with its content. */
type Source = StateVersion & { readonly content: StateContent };

const POINTER = '/data/relationships/rollback-state-version';
const unusable = (problem: string) => new DomainError('unprocessable', problem, { source: { pointer: POINTER } });

/** Finds the state version to roll back to. @throws DomainError 422 if it has no content, or is not of the workspace. */
const findSource = async ({ store }: StateDependencies, workspace: string, id: string): Promise<Source> => {
  const place = isId('stateVersion', id) ? await store.stateVersions.findPlace(id) : undefined;
  const isOwn = place?.id === id && place.workspace === workspace;
  const version = isOwn ? await store.stateVersions.find(place) : undefined;
  if (version === undefined) throw unusable('The workspace has no state version with this id.');
  const content = availableContent(version);
  if (content === undefined) throw unusable('The content of the state version has not arrived or is deleted.');
  return { ...version, content };
};

/** Copies the content of a version to a new one, and makes that the current one. */
const copyContent = async (
  { store, changes, bucket }: StateDependencies,
  source: Source,
  created: StateVersion,
  request: RequestContext,
): Promise<StateVersion> => {
  const copy = (kind: 'state' | 'json', object: string) =>
    bucket.copy(stateKey(kind, source), object, stateKey(kind, created));
  const [raw, json, outputs, workspace] = await Promise.all([
    copy('state', source.content.object),
    source.jsonObject === undefined ? undefined : copy('json', source.jsonObject),
    source.content.outputs.count === -1 ? undefined : store.stateVersions.readOutputs(source),
    store.workspaces.find(created.workspace),
  ]);
  // The content was deleted meanwhile. The next state version replaces the pending one.
  if (raw === undefined || workspace === undefined) throw unusable('The content of the state version is deleted.');
  if (json !== undefined) await changes.pinJsonObject(created, json);
  const copied = { ...created, ...(json !== undefined && { jsonObject: json }) };
  const content = { ...source.content, object: raw, outputs };
  return (await changes.finalizeStateVersion(workspace, copied, content, request)) ?? copied;
};

/**
 * `PATCH /workspaces/:workspace_id/state-versions` (STATE-21): the caller must hold the lock. The new version has the bytes
 * of the older one, and therefore its serial.
 */
export const rollBack =
  (dependencies: StateDependencies): Operation<'state-versions.roll-back'> =>
  async ({ contextFor, digest, parameters: { workspace_id: id }, body, url }) => {
    const { store, changes } = dependencies;
    preloadBucket();
    const access = await authorizeWorkspace(store, digest, { id }, 'state-version.create');
    const { workspace, caller } = access;
    const request = contextFor(caller);
    const source = await findSource(dependencies, id, body.data.relationships['rollback-state-version'].data.id);
    const { serial, lineage, md5 } = source;
    const draft: Omit<StateVersion, 'id'> = {
      ...{ serial, lineage, md5, intermediate: false, rolledBackTo: source.id },
      ...pendingVersion(access, now()),
    };
    const created = await retryAfterContentCheck(
      workspace,
      store.workspaces.find,
      (pending) => storeContent(dependencies, pending, request),
      (image, checkedId) => changes.createStateVersion(image, draft, request, { force: true, checkedId }),
    );
    return presentStateVersion(dependencies, access, await copyContent(dependencies, source, created, request), url);
  };
