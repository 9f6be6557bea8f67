import { isDeepStrictEqual } from 'node:util';
import type { ChangeType } from '../changes/change-records.ts';
import { all, type Condition, equals } from '../changes/conditions.ts';
import { notFound } from '../errors.ts';
import { ALIVE, type RequestContext, type Step, type Transition } from '../transitions/transition.ts';
import type { Provider } from '../workspace/vcs.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';
import type { WorkspaceGrant } from './grants.ts';

/** What changes of the records around them do to workspaces. Each can be repeated: done already, it is applied. */

const transition = (
  type: ChangeType,
  isDone: (image: Workspace) => boolean,
  step: (image: Workspace) => Omit<Step, 'condition'> & { readonly condition?: Condition },
): Transition => ({
  type,
  plan: (image) => {
    if (!isAlive(image)) throw notFound();
    const { condition = all(), ...rest } = step(image);
    return { ...rest, condition: all(ALIVE, condition) };
  },
  applied: (image) => isAlive(image) && isDone(image),
});

/** Gives a team access to the workspace, in place of what it had. */
export const grantAccess = (team: string, grant: WorkspaceGrant): Transition =>
  transition(
    'workspace.access-changed',
    ({ access }) => isDeepStrictEqual(access[team], grant),
    ({ access }) => setGrant(team, grant, Object.hasOwn(access, team)),
  );

export const revokeAccess = (team: string): Transition =>
  transition(
    'workspace.access-changed',
    ({ access }) => !Object.hasOwn(access, team),
    () => ({
      change: { remove: [`access.${team}`] },
      accessIds: [{ kind: 'delete', team }],
      team: { id: team, access: null },
    }),
  );

const setGrant = (team: string, grant: WorkspaceGrant, isThere: boolean) => ({
  change: { set: { [`access.${team}`]: grant } },
  team: { id: team, access: typeof grant === 'string' ? grant : 'custom' },
  ...(!isThere && { accessIds: [{ kind: 'put', team } as const] }),
});

/**
 * Changes the access that a team has to the workspace, by a request of its own: the grant as it is then, undefined where
 * there is none, becomes another one; `next` may refuse.
 */
export const changeAccess = (
  { id }: RequestContext,
  team: string,
  next: (grant: WorkspaceGrant | undefined) => WorkspaceGrant,
): Transition => ({
  ...transition(
    'workspace.access-changed',
    () => false,
    ({ access }) => setGrant(team, next(access[team]), Object.hasOwn(access, team)),
  ),
  applied: ({ change }) => change.request === id && change.type === 'workspace.access-changed',
});

/** Takes a deleted SSH key off the workspace, unless it has another by now. */
export const unassignSshKey = (key: string): Transition =>
  transition(
    'workspace.updated',
    ({ sshKey }) => sshKey !== key,
    () => ({ condition: equals('sshKey', key), change: { set: { sshKey: null } }, keys: ['ssh-key'] }),
  );

/** Brings the copy that the workspace keeps of its VCS connection up to date. */
export const refreshRepository = (provider: Provider): Transition => {
  const uses = ({ vcsRepo }: Workspace): boolean =>
    vcsRepo !== null &&
    vcsRepo.oauthTokenId === provider.oauthTokenId &&
    vcsRepo.appInstallationId === provider.appInstallationId;
  return transition(
    'workspace.updated',
    (image) => !uses(image) || isDeepStrictEqual({ ...image.vcsRepo, ...provider }, image.vcsRepo),
    ({ vcsRepo, revision }) => ({
      condition: equals('revision', revision),
      change: { set: { vcsRepo: { ...vcsRepo, ...provider } }, add: { revision: 1 } },
      keys: ['vcs-repo'],
    }),
  );
};
