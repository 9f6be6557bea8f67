import { isDeepStrictEqual } from 'node:util';
import type { WorkspaceGrant } from '../../directory/grants.ts';
import { type RequestContext, repeatableTransition, type Transition } from '../transition.ts';

const TYPE = 'workspace.access-changed';

const setGrant = (team: string, grant: WorkspaceGrant, hadAccess: boolean) => ({
  change: { set: { [`access.${team}`]: grant } },
  team: { id: team, access: typeof grant === 'string' ? grant : 'custom' },
  ...(!hadAccess && { accessIds: [{ kind: 'put', team } as const] }),
});

/** Grants a team access to the workspace, replacing the access that it has. */
export const grantAccess = (team: string, grant: WorkspaceGrant): Transition =>
  repeatableTransition(
    TYPE,
    ({ access }) => isDeepStrictEqual(access[team], grant),
    ({ access }) => setGrant(team, grant, Object.hasOwn(access, team)),
  );

/** Removes the access of a team to the workspace. */
export const revokeAccess = (team: string): Transition =>
  repeatableTransition(
    TYPE,
    ({ access }) => !Object.hasOwn(access, team),
    () => ({
      change: { remove: [`access.${team}`] },
      accessIds: [{ kind: 'delete', team }],
      team: { id: team, access: null },
    }),
  );

/**
 * Changes the access of a team to the workspace on behalf of one request.
 * @param next computes the new grant from the current one, which is undefined if the team has none; may throw a
 *   `DomainError`.
 */
export const changeAccess = (
  { id }: RequestContext,
  team: string,
  next: (grant: WorkspaceGrant | undefined) => WorkspaceGrant,
): Transition => ({
  ...repeatableTransition(
    TYPE,
    () => false,
    ({ access }) => setGrant(team, next(access[team]), Object.hasOwn(access, team)),
  ),
  applied: ({ change }) => change.request === id && change.type === TYPE,
});
