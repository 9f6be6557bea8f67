import { computeDueTime } from '../../workspace/auto-destroy.ts';
import type { Configuration } from '../../workspace/configuration/configuration.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { type RequestContext, recordChange } from '../transition.ts';

/**
 * Creates the record of a new workspace: unlocked, without a state, with its first change record.
 * @param event id of the change record.
 * @param at time of the creation, in milliseconds.
 */
export const newWorkspace = (
  identity: Pick<Workspace, 'id' | 'organization' | 'project' | 'projectInactivity'>,
  configuration: Configuration & Pick<Workspace, 'tags'>,
  request: RequestContext,
  event: string,
  at: number,
): Workspace => {
  const due = computeDueTime({ ...identity, ...configuration, createdAt: at });
  return {
    ...identity,
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
