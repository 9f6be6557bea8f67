import { all, differs, equals } from '../changes/conditions.ts';
import { ALIVE, alive, type RequestContext, type Transition } from '../changes/transitions.ts';
import { conflict } from '../errors.ts';
import type { RetentionPolicy } from '../retention/retention-policy.ts';
import type { Workspace } from '../workspace/workspace-record.ts';
import type { StateVersion } from './state-version.ts';

/** Which state versions a data retention policy lets go (RET-7). */

const DAY = 86_400_000;

/**
 * Versions that were created before this go; undefined where all are kept. The workspace's own policy counts, else the
 * organization's.
 */
export const keptFrom = (
  { retentionPolicy: own }: Pick<Workspace, 'retentionPolicy'>,
  byDefault: RetentionPolicy | undefined,
  now: number,
): number | undefined => {
  const days = (own ?? byDefault)?.deleteOlderThanDays ?? undefined;
  return days === undefined ? undefined : now - days * DAY;
};

/** Never the current one, nor what may become it: what is waited for, or waits itself for the end of a lock. */
const isNeeded = ({ current, intermediate, pending }: Workspace, id: string): boolean =>
  [current, intermediate, pending].some((version) => version?.id === id);

/** Deletes a version, as long as nobody needs it and the policy still lets it go. */
export const deleteStateVersion = (
  request: RequestContext,
  { id, serial, createdAt }: Pick<StateVersion, 'id' | 'serial' | 'createdAt'>,
  byDefault: RetentionPolicy | undefined,
  now: number,
): Transition => ({
  type: 'workspace.state-version-deleted',
  plan: (read) => {
    const image = alive(read);
    const from = keptFrom(image, byDefault, now);
    if (from === undefined || createdAt >= from || isNeeded(image, id)) throw conflict('The state version is kept.');
    return {
      condition: all(
        ALIVE,
        // A policy of its own that changes raises it.
        equals('revision', image.revision),
        ...['current.id', 'intermediate.id', 'pending.id'].map((path) => differs(path, id)),
      ),
      change: { add: { stateVersions: -1 } },
      stateVersion: { id, serial },
    };
  },
  applied: ({ change }) => change.request === request.id,
});
