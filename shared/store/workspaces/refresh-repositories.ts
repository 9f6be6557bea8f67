import { refreshRepository } from '../../domain/directory/directory-transitions.ts';
import type { Provider } from '../../domain/workspace/vcs.ts';
import { serviceRequest } from '../automation/service-request.ts';
import type { Database } from '../dynamodb/database.ts';
import { findWorkspaces } from './find-workspaces.ts';
import type { Workspaces } from './workspace-store.ts';

/** Workspaces that are brought up to date at a time. */
const AT_ONCE = 16;

/**
 * Workspaces keep a copy of what they show of a connection, which is brought up to date here; repeated, it reaches those
 * that an interruption left out.
 */
export const refreshRepositories = async (
  { database, store: workspaces }: { readonly database: Database; readonly store: Workspaces },
  organization: string,
  provider: Provider,
): Promise<void> => {
  const transition = refreshRepository(provider);
  const connected = await findWorkspaces(
    { database, workspaces },
    organization,
    ({ vcsRepo }) =>
      vcsRepo?.oauthTokenId === provider.oauthTokenId && vcsRepo.appInstallationId === provider.appInstallationId,
  );
  const stale = connected.filter((workspace) => !transition.applied(workspace));
  for (let start = 0; start < stale.length; start += AT_ONCE) {
    await Promise.all(
      stale
        .slice(start, start + AT_ONCE)
        .map((workspace) => workspaces.apply(workspace, transition, serviceRequest('directory'))),
    );
  }
};
