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
    const use = tags === undefined ? `uses the tool version ${version}` : `has the tag ${tags}`;
    return [`No workspace ${use} yet. Check the spelling.`];
  });
};
