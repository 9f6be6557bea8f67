import { isDeepStrictEqual } from 'node:util';
import { equals } from '../../changes/conditions.ts';
import type { Provider } from '../../workspace/vcs.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { repeatableTransition } from '../repeatable-transition.ts';
import type { Transition } from '../transition.ts';

/** Updates the workspace's copy of its VCS connection or app installation, if it still uses that connection or installation. */
export const refreshRepository = (provider: Provider): Transition => {
  const uses = ({ vcsRepo }: Workspace): boolean =>
    vcsRepo !== null &&
    vcsRepo.oauthTokenId === provider.oauthTokenId &&
    vcsRepo.appInstallationId === provider.appInstallationId;
  return repeatableTransition(
    'workspace.updated',
    (image) => !uses(image) || isDeepStrictEqual({ ...image.vcsRepo, ...provider }, image.vcsRepo),
    ({ vcsRepo, revision }) => ({
      condition: equals('revision', revision),
      change: { set: { vcsRepo: { ...vcsRepo, ...provider } }, add: { revision: 1 } },
      keys: ['vcs-repo'],
    }),
  );
};
