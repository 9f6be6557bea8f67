import { applyChange, satisfies } from '../../../shared/domain/changes/conditions.ts';
import type { Principal } from '../../../shared/domain/directory/records.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import { type RequestContext, recordChange, type Transition } from '../../../shared/domain/transitions/transition.ts';
import { toImage, type Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { newWorkspace } from '../api/new-workspace.ts';

/** Transitions of workspaces as values: they are planned and applied in memory, without a store. */

/** Time of the first request, in milliseconds. */
export const NOW = 1_800_000_000_000;

const principals = {
  ada: { kind: 'user', id: 'user-ada', name: 'ada' },
  bob: { kind: 'user', id: 'user-bob', name: 'bob' },
  team: { kind: 'team', id: 'team-ops', name: 'ops', organization: 'acme' },
  run: { kind: 'run', id: 'run-1', name: 'run-1', organization: 'acme', workspace: 'ws-1' },
} as const satisfies Readonly<Record<string, Principal>>;

/**
 * Creates a request.
 * @param id id of the request; a request with the same id is a repetition.
 */
export const requestFrom = (who: keyof typeof principals, id: string = who): RequestContext => ({
  id,
  principal: principals[who],
});

/** A new workspace without a lock, a state, tags or access of teams. */
export const plainWorkspace: Workspace = newWorkspace(
  { organization: 'acme', project: 'prj-1111111111111111' },
  { name: 'network' },
);

/** Plans a transition from `read`, and tells whether its condition holds for a workspace that has become `stored`. */
export const isWritten = (transition: Transition, read: Workspace, stored: Workspace = read): boolean =>
  satisfies(transition.plan(read).condition, toImage(stored));

/**
 * Returns the workspace after a transition.
 * @throws DomainError of the transition.
 */
export const apply = (transition: Transition, workspace: Workspace, request = requestFrom('ada')): Workspace => {
  const { condition, change, ...details } = transition.plan(workspace);
  if (!satisfies(condition, toImage(workspace))) throw new Error('The condition does not hold for its own image');
  const record = recordChange(`evt-${workspace.sequence}`, transition.type, request, NOW, details);
  return {
    ...(applyChange(change, { ...workspace }) as unknown as Workspace),
    change: record,
    sequence: workspace.sequence + 1,
  };
};

/** Returns the error with which a transition rejects a workspace; undefined if it does not. */
export const rejectionOf = (transition: Transition, workspace: Workspace | undefined): DomainError | undefined => {
  try {
    transition.plan(workspace);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
};
