import { createHash } from 'node:crypto';
import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { stateKey } from '../../shared/blob/blob-keys.ts';
import { preloadBucket } from '../../shared/blob/bucket-on-use.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import {
  availableContent,
  type BackingData,
  type StateContent,
  type StateVersion,
  UPLOAD_SECONDS,
  waitedForUntil,
} from '../../shared/domain/state-versions/state-version.ts';
import { requireBackingDataTransition } from '../../shared/domain/transitions/state-versions/change-backing-data.ts';
import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { type OperationRequest, type Operations, Redirect } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { now } from '../../shared/lib/clock.ts';
import { stateVersionRequest } from '../../shared/resources/state-versions/request-mapping.ts';
import { retryAfterContentCheck } from '../../shared/state-content/check-for-content.ts';
import type { storeContent as StoreContent } from '../../shared/state-content/store-content.ts';
import { findStateVersion, presentStateVersion, type StateDependencies } from './versions.ts';

/** Returns the members of a new state version that its request does not decide. */
const pendingVersion = ({ workspace, caller }: WorkspaceAccess, createdAt: number) => ({
  workspace: workspace.id,
  createdAt,
  status: 'pending' as const,
  until: waitedForUntil(createdAt),
  createdBy: { kind: caller.principal.kind, id: caller.principal.id },
  // The writer holds the lock. If a run holds it, the state belongs to that run, whatever run the body names.
  run: workspace.lock?.kind === 'Run' ? workspace.lock.by : null,
});

/** Loads the code that reads states when a request needs it: most states are uploaded to the bucket. */
const storeContent: typeof StoreContent = async (...parameters) => {
  const content = await import('../../shared/state-content/store-content.ts');
  return content.storeContent(...parameters);
};

const digestOf = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

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

type ChangeRequest = OperationRequest<
  'state-versions.soft-delete' | 'state-versions.restore' | 'state-versions.delete'
>;

const changeTo =
  (to: BackingData) =>
  async (
    { contextFor, digest, parameters: { state_version_id: id }, url }: ChangeRequest,
    dependencies: StateDependencies,
  ): Promise<Document> => {
    const found = await findStateVersion(dependencies, digest, id, 'state-version.manage-backing-data');
    const { access, version } = found;
    const request = contextFor(access.caller);
    // An earlier attempt of this request has changed it.
    const isOwn = request.attempt === 'resumed' && access.workspace.change.request === request.id;
    if (!isOwn) requireBackingDataTransition(version, to);
    const changed = await dependencies.changes.changeBackingData(access.workspace, version, to, request);
    return presentStateVersion(dependencies, access, changed, url);
  };

/** Lifetime of the presigned URL, in seconds. */
const SECONDS = 300;

export const uploadOperations = {
  /**
   * `POST /workspaces/:workspace_id/state-versions` (STATE-2, STATE-5): the caller must hold the lock. The body contains the
   * state, or the client uploads it to the URLs of the response.
   */
  'state-versions.create': async ({ contextFor, digest, parameters, body, url }, dependencies) => {
    const { store, changes, bucket } = dependencies;
    const { state, jsonState, force = false, ...fields } = stateVersionRequest(body.data.attributes);
    if (state !== undefined && digestOf(state) !== fields.md5) throw invalid('md5', 'Md5 is not that of the state');

    preloadBucket();
    const target = { id: parameters.workspace_id };
    const access = await authorizeWorkspace(store, digest, target, 'state-version.create');
    const { workspace, caller } = access;
    const request = contextFor(caller);
    const createdAt = now();
    const draft: Omit<StateVersion, 'id'> = {
      lineage: null,
      intermediate: false,
      ...fields,
      ...pendingVersion(access, createdAt),
    };
    const version = await retryAfterContentCheck(
      workspace,
      store.workspaces.find,
      (whose) => storeContent(dependencies, whose, request),
      (image, checkedId) => changes.createStateVersion(image, draft, request, { force, checkedId }),
    );

    if (state === undefined) {
      const [raw, asJson] = await Promise.all([
        bucket.uploadUrl(stateKey('state', version), UPLOAD_SECONDS),
        bucket.uploadUrl(stateKey('json', version), UPLOAD_SECONDS),
      ]);
      return presentStateVersion(dependencies, access, version, url, undefined, { state: raw, json: asJson });
    }
    if (jsonState !== undefined) {
      const object = await bucket.put(stateKey('json', version), jsonState);
      await changes.pinJsonObject(version, object.version);
    }
    await bucket.put(stateKey('state', version), state);
    await storeContent(dependencies, version, request);
    const { workspace: whose, id, createdAt: at } = version;
    return presentStateVersion(
      dependencies,
      access,
      (await store.stateVersions.find({ workspace: whose, id, at })) ?? version,
      url,
    );
  },

  /**
   * `PATCH /workspaces/:workspace_id/state-versions` (STATE-21): the caller must hold the lock. The new version has the bytes
   * of the older one, and therefore its serial.
   */
  'state-versions.roll-back': async (
    { contextFor, digest, parameters: { workspace_id: id }, body, url },
    dependencies,
  ) => {
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
  },

  /** `POST /state-versions/:state_version_id/actions/soft_delete_backing_data` (STATE-22) */
  'state-versions.soft-delete': changeTo('soft-deleted'),

  /** `POST /state-versions/:state_version_id/actions/restore_backing_data` (STATE-22) */
  'state-versions.restore': changeTo('available'),

  /** `POST /state-versions/:state_version_id/actions/permanently_delete_backing_data` (STATE-22) */
  'state-versions.delete': changeTo('deleted'),

  /** `GET /state-versions/:state_version_id/download`: redirects to the raw state. */
  'state-versions.download': async ({ digest, parameters: { state_version_id: id } }, dependencies) => {
    preloadBucket();
    const { version } = await findStateVersion(dependencies, digest, id, 'state-version.read');
    const content = availableContent(version);
    if (content === undefined) throw notFound('The state version has no content.');
    const { object } = content;
    return new Redirect(await dependencies.bucket.downloadUrl(stateKey('state', version), object, SECONDS));
  },

  /** `GET /state-versions/:state_version_id/json-download`: redirects to the JSON form of the state, if one was uploaded. */
  'state-versions.json-download': async ({ digest, parameters: { state_version_id: id } }, dependencies) => {
    preloadBucket();
    const { version } = await findStateVersion(dependencies, digest, id, 'state-version.read');
    if (version.jsonObject === undefined || availableContent(version) === undefined)
      throw notFound('The state version has no JSON form.');
    return new Redirect(await dependencies.bucket.downloadUrl(stateKey('json', version), version.jsonObject, SECONDS));
  },
} satisfies Partial<Operations<'state-versions', StateDependencies>>;
