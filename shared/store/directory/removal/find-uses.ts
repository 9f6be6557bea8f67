import type { RequestContext, Transition } from '../../../domain/transitions/transition.ts';
import type { VcsRepo, Workspace } from '../../../domain/workspace/workspace-record.ts';
import { mapWithConcurrency } from '../../../lib/concurrency.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { findKeptWorkspaces, findWorkspaces } from '../../workspaces/find-workspaces.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { Table } from '../records/commit.ts';

/** Kinds of records to which the repository of a workspace can belong. */
export type RepositoryOwner = 'vcsConnection' | 'appInstallation';

/** Number of workspaces that are changed concurrently. */
const CONCURRENCY = 16;

/** Returns a test whether a repository belongs to a connection or installation. */
export const isRepositoryOf =
  (kind: RepositoryOwner, id: string) =>
  ({ oauthTokenId, appInstallationId }: VcsRepo): boolean =>
    (kind === 'vcsConnection' ? oauthTokenId : appInstallationId) === id;

/** Opens the searches for the workspaces that use a record. */
export const openUses = ({ database }: Table, workspaces: Workspaces) => {
  /** @param mayFit excludes rows of the list index, so that their workspaces are not read. */
  const find = (organization: string, fits: (workspace: Workspace) => boolean, mayFit?: (row: Item) => boolean) =>
    findWorkspaces({ database, workspaces }, organization, fits, mayFit);

  return {
    find,

    /** Finds all workspaces, and the deleted ones that were not purged. */
    findKept: (organization: string): Promise<Workspace[]> =>
      findKeptWorkspaces({ database, workspaces }, organization),

    ofProject: (organization: string, id: string): Promise<Workspace[]> =>
      find(
        organization,
        ({ project }) => project === id,
        (row) => row['prj'] === id,
      ),

    ofPool: (organization: string, id: string): Promise<Workspace[]> =>
      find(organization, ({ settings }) => settings.agentPool === id),

    ofRepositories: (kind: RepositoryOwner, organization: string, id: string): Promise<Workspace[]> => {
      const isOf = isRepositoryOf(kind, id);
      return find(organization, ({ vcsRepo }) => vcsRepo !== null && isOf(vcsRepo));
    },

    /** Applies a transition to each workspace. */
    change: async (request: RequestContext, found: readonly Workspace[], transition: Transition): Promise<void> => {
      await mapWithConcurrency(found, CONCURRENCY, (workspace) => workspaces.apply(workspace, transition, request));
    },
  };
};

export type Uses = ReturnType<typeof openUses>;
