import { useQueries } from '@tanstack/react-query';
import { anyWorkspaceQuery } from '../../api/workspaces.ts';
import { toListQuery, type WorkspaceSearch } from './search.ts';

/** A tag or a version of the tool. */
export type Sought = Pick<WorkspaceSearch, 'tags' | 'version'>;

/**
 * Returns a sentence for each tag and version that no workspace has, because it may be misspelled. Each is one request, for at
 * most one workspace.
 */
export const useUnused = (organization: string, sought: readonly Sought[]): readonly string[] => {
  const results = useQueries({
    queries: sought.map((filter) => anyWorkspaceQuery(organization, toListQuery(filter))),
  });
  return sought.flatMap(({ tags, version }, index) => {
    if (results[index]?.data?.document.data.length !== 0) return [];
    return [`No workspace has the ${tags === undefined ? `tool version ${version}` : `tag ${tags}`} yet.`];
  });
};
