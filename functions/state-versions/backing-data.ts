import type { BackingData } from '../../shared/domain/state-versions/state-version.ts';
import { requireBackingDataTransition } from '../../shared/domain/transitions/state-versions/change-backing-data.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { StateDependencies } from './dependencies.ts';
import { findStateVersion } from './find.ts';
import { presentStateVersion } from './present.ts';

type Action = Operation<'state-versions.soft-delete' | 'state-versions.restore' | 'state-versions.delete'>;

const changeTo =
  (to: BackingData) =>
  (dependencies: StateDependencies): Action =>
  async ({ contextFor, digest, parameters: { state_version_id: id }, url }) => {
    const found = await findStateVersion(dependencies, digest, id, 'state-version.manage-backing-data');
    const { access, version } = found;
    const request = contextFor(access.caller);
    // An earlier attempt of this request has changed it.
    const isOwn = request.attempt === 'resumed' && access.workspace.change.request === request.id;
    if (!isOwn) requireBackingDataTransition(version, to);
    const changed = await dependencies.changes.changeBackingData(access.workspace, version, to, request);
    return presentStateVersion(dependencies, access, changed, url);
  };

/** `POST /state-versions/:state_version_id/actions/soft_delete_backing_data` (STATE-22) */
export const softDelete = changeTo('soft-deleted');
/** `POST /state-versions/:state_version_id/actions/restore_backing_data` (STATE-22) */
export const restore = changeTo('available');
/** `POST /state-versions/:state_version_id/actions/permanently_delete_backing_data` (STATE-22) */
export const deletePermanently = changeTo('deleted');
