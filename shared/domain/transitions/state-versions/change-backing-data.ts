import { all, differs } from '../../changes/conditions.ts';
import { conflict, type DomainError } from '../../errors.ts';
import type { BackingData, StateVersion } from '../../state-versions/state-version.ts';
import { ALIVE, type RequestContext, requireAlive, type Transition } from '../transition.ts';
import { isNeeded } from './delete-state-version.ts';

/** The status that each change requires. */
const required: Readonly<Record<BackingData, BackingData>> = {
  available: 'soft-deleted',
  'soft-deleted': 'available',
  deleted: 'soft-deleted',
};

const texts: Readonly<Record<BackingData, string>> = {
  available: 'available',
  'soft-deleted': 'soft-deleted',
  deleted: 'permanently deleted',
};

/** Clients match the words "transition not allowed". */
const notAllowed = (reason: string): DomainError => conflict(`Backing data transition not allowed: ${reason}.`);

/** Creates the error for a state version whose backing data another request changes. */
export const backingDataChanges = (): DomainError => notAllowed('another request changes it');

/**
 * Requires that the backing data of a state version can change to another status (STATE-22).
 * @throws DomainError 409.
 */
export const requireBackingDataTransition = (version: StateVersion, to: BackingData): void => {
  if (version.status !== 'finalized') throw notAllowed(`the state version is ${version.status}`);
  const from: BackingData = version.backingData ?? 'available';
  if (from !== required[to]) throw notAllowed(`the content is ${texts[from]}`);
};

/**
 * Records on the workspace that the backing data of a state version changes. The store changes the version itself in the
 * same transaction. `plan` throws a `DomainError`: 404 for a deleted workspace, 409 if the version is needed.
 */
export const changeBackingData = (
  request: RequestContext,
  { id, serial }: Pick<StateVersion, 'id' | 'serial'>,
  to: BackingData,
): Transition => ({
  type: 'workspace.state-version-backing-data-changed',
  plan: (read) => {
    const image = requireAlive(read);
    if (isNeeded(image, id)) throw notAllowed('the state version is the current one or may become it');
    return {
      condition: all(ALIVE, ...['current.id', 'intermediate.id', 'pending.id'].map((path) => differs(path, id))),
      change: {},
      stateVersion: { id, serial, backingData: to },
    };
  },
  applied: ({ change }) => change.request === request.id,
});
