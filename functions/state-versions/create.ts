import { createHash } from 'node:crypto';
import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { stateKey } from '../../shared/blob/blob-keys.ts';
import { preloadBucket } from '../../shared/blob/bucket-on-use.ts';
import { invalid } from '../../shared/domain/errors.ts';
import { type StateVersion, UPLOAD_SECONDS, waitedForUntil } from '../../shared/domain/state-versions/state-version.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { stateVersionRequest } from '../../shared/resources/state-versions/request-mapping.ts';
import { retryAfterContentCheck } from '../../shared/state-content/retry-after-content-check.ts';
import type { storeContent as StoreContent } from '../../shared/state-content/store-content.ts';
import type { StateDependencies } from './dependencies.ts';
import { presentStateVersion } from './present.ts';

/** Returns the members of a new state version that its request does not decide. */
export const pendingVersion = ({ workspace, caller }: WorkspaceAccess, createdAt: number) => ({
  workspace: workspace.id,
  createdAt,
  status: 'pending' as const,
  until: waitedForUntil(createdAt),
  createdBy: { kind: caller.principal.kind, id: caller.principal.id },
  // The writer holds the lock. If a run holds it, the state belongs to that run, whatever run the body names.
  run: workspace.lock?.kind === 'Run' ? workspace.lock.by : null,
});

/**
 * `POST /workspaces/:workspace_id/state-versions` (STATE-2, STATE-5): the caller must hold the lock. The body contains the
 * state, or the client uploads it to the URLs of the response.
 */
export const createStateVersion =
  (dependencies: StateDependencies): Operation<'state-versions.create'> =>
  async ({ contextFor, digest, parameters, body, url }) => {
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
  };

/** Loads the code that reads states when a request needs it: most states are uploaded to the bucket. */
export const storeContent: typeof StoreContent = async (...parameters) => {
  const content = await import('../../shared/state-content/store-content.ts');
  return content.storeContent(...parameters);
};

const digestOf = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');
