import { refreshRepository } from '../../domain/transitions/refresh-repository.ts';
import type { Provider } from '../../domain/workspace/vcs.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { serviceRequest } from '../automation/service-request.ts';
import type { Database } from '../dynamodb/database.ts';
import { findWorkspaces } from './find-workspaces.ts';
import type { Workspaces } from './workspace-store.ts';

/** Number of workspaces that are updated at the same time. */
const CONCURRENCY = 16;

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
  await mapWithConcurrency(stale, CONCURRENCY, (workspace) =>
    workspaces.apply(workspace, transition, serviceRequest('directory')),
  );
};
