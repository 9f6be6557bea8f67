import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../api/organizations.ts';
import { teamsQuery } from '../api/team-access.ts';
import { workspacePageQuery } from '../api/workspaces.ts';
import { useDebounced } from '../lib/use-debounced.ts';

/** A team, a project or a workspace that a user can choose by its name. */
interface Candidate {
  readonly id: string;
  readonly attributes: { readonly name: string };
}

/** Finds the teams, projects or workspaces whose names contain a text; of workspaces, the first ones. */
export const useCandidates = (
  kind: 'teams' | 'projects' | 'workspaces',
  organization: string,
  name: string,
): readonly Candidate[] => {
  const search = useDebounced(name.trim());
  const teams = useQuery({ ...teamsQuery(organization, search), enabled: kind === 'teams' });
  const projects = useQuery({ ...projectsQuery(organization, search), enabled: kind === 'projects' });
  const workspaces = useQuery({
    ...workspacePageQuery(organization, { 'search[name]': search }, 1),
    enabled: kind === 'workspaces',
    placeholderData: keepPreviousData,
  });
  if (kind === 'workspaces') return (workspaces.data?.rows ?? []).map(({ workspace }) => workspace);
  return (kind === 'teams' ? teams : projects).data?.document.data ?? [];
};
