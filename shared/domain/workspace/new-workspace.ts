import { type RequestContext, recordChange } from '../changes/transitions.ts';
import { dueOf } from './auto-destroy.ts';
import type { Configuration } from './configure.ts';
import type { Workspace } from './workspace-record.ts';

/** Where a workspace begins: unlocked, with no state, its first change announced. `at` is in milliseconds. */
export const newWorkspace = (
  whose: Pick<Workspace, 'id' | 'organization' | 'project' | 'projectInactivity'>,
  configuration: Configuration & Pick<Workspace, 'tags'>,
  request: RequestContext,
  event: string,
  at: number,
): Workspace => {
  const due = dueOf({ ...whose, ...configuration, createdAt: at });
  return {
    ...whose,
    ...configuration,
    ...(due !== undefined && { due }),
    createdAt: at,
    updatedAt: at,
    latestChangeAt: at,
    listedAt: at,
    sshKey: null,
    access: {},
    revision: 1,
    fence: 0,
    sequence: 1,
    current: null,
    change: recordChange(event, 'workspace.created', request, at),
  };
};
