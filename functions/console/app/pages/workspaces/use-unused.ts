import { useQueries } from '@tanstack/react-query';
import { anyWorkspaceQuery } from '../../api/workspaces.ts';
import { toListQuery, type WorkspaceSearch } from './search.ts';

/** A tag or a version of the tool. */
export type Sought = Pick<WorkspaceSearch, 'tags' | 'version'>;

/** Beginning of a version or a constraint. */
const VERSION = /^[v<>=!~\d]|latest/;

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
    if (version !== undefined && !VERSION.test(version)) {
      return [`“${version}” is no version. Enter one such as 1.10.5, or < 1.6.0.`];
    }
    const use = tags === undefined ? `uses the tool version ${version}` : `has the tag ${tags}`;
    return [`No workspace ${use} yet. Check the spelling.`];
  });
};
