import { stateKey } from '../../shared/blob/blob-keys.ts';
import { preloadBucket } from '../../shared/blob/bucket-on-use.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { availableContent } from '../../shared/domain/state-versions/state-version.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { Redirect } from '../../shared/http/redirect.ts';
import type { StateDependencies } from './dependencies.ts';
import { findStateVersion } from './find.ts';

/** Lifetime of the presigned URL, in seconds. */
const SECONDS = 300;

/** `GET /state-versions/:state_version_id/download`: redirects to the raw state. */
export const download =
  (dependencies: StateDependencies): Operation<'state-versions.download'> =>
  async ({ digest, parameters: { state_version_id: id } }) => {
    preloadBucket();
    const { version } = await findStateVersion(dependencies, digest, id, 'state-version.read');
    const content = availableContent(version);
    if (content === undefined) throw notFound('The state version has no content.');
    const { object } = content;
    return new Redirect(await dependencies.bucket.downloadUrl(stateKey('state', version), object, SECONDS));
  };

/** `GET /state-versions/:state_version_id/json-download`: redirects to the JSON form of the state, if one was uploaded. */
export const downloadJson =
  (dependencies: StateDependencies): Operation<'state-versions.json-download'> =>
  async ({ digest, parameters: { state_version_id: id } }) => {
    preloadBucket();
    const { version } = await findStateVersion(dependencies, digest, id, 'state-version.read');
    if (version.jsonObject === undefined || availableContent(version) === undefined)
      throw notFound('The state version has no JSON form.');
    return new Redirect(await dependencies.bucket.downloadUrl(stateKey('json', version), version.jsonObject, SECONDS));
  };
