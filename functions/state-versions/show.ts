import { notFound } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { StateDependencies } from './dependencies.ts';
import { findCurrent, findStateVersion } from './find.ts';
import { presentStateVersion } from './present.ts';

/** `GET /state-versions/:state_version_id` (STATE-12). */
export const showStateVersion =
  (dependencies: StateDependencies): Operation<'state-versions.show'> =>
  async ({ digest, parameters: { state_version_id: id }, include, url }) => {
    const { access, version } = await findStateVersion(dependencies, digest, id, 'state-version.read');
    return presentStateVersion(dependencies, access, version, url, include);
  };

/** `GET /workspaces/:workspace_id/current-state-version` (STATE-11): intermediate versions are never current. */
export const showCurrent =
  (dependencies: StateDependencies): Operation<'state-versions.current'> =>
  async ({ digest, parameters: { workspace_id: id }, include, url }) => {
    const { access, version } = await findCurrent(dependencies, digest, id, 'state-version.read');
    if (version === undefined) throw notFound('The workspace has no state.');
    return presentStateVersion(dependencies, access, version, url, include);
  };
