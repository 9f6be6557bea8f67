import { refreshRepository } from '../../domain/transitions/workspaces/drop-references.ts';
import type { Provider } from '../../domain/workspace/vcs.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import type { Database } from '../dynamodb/database.ts';
import { findWorkspaces } from './find-workspaces.ts';
import { serviceRequest } from './service-request.ts';
import type { Workspaces } from './workspace-store.ts';

/** Number of workspaces that are updated at the same time. */
const CONCURRENCY = 16;

/**
 * Updates the copy of the connection data that each connected workspace stores. It can be repeated after an
 * interruption, and then updates only the workspaces that were left out.
 */
export const refreshRepositories = async (
  { database, workspaces }: { readonly database: Database; readonly workspaces: Workspaces },
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
