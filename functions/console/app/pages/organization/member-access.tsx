import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { listProjectsOfTeam } from '../../../../../shared/client/projects.ts';
import { listWorkspacesOfTeam } from '../../../../../shared/client/team-access.ts';
import type { Team } from '../../../../../shared/client/teams.ts';
import { apiQuery } from '../../api/query-client.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { accessByOrganization, projectLevels, workspaceLevels } from '../../lib/access-levels.ts';

/** Number of projects or workspaces of a request; the largest that the API returns. */
const PAGE_SIZE = 100;

/** Access of a member to projects or workspaces, by a team. */
interface Row {
  readonly key: string;
  /** Absent for all workspaces. */
  readonly to?: { readonly type: 'projects' | 'workspaces'; readonly id: string; readonly name: string };
  readonly access: string;
  readonly team: Team;
}

/** Shows what the teams of a member give access to, with two requests for each team. */
export const MemberAccess = ({ teams }: { readonly teams: readonly Team[] }) => {
  const ofProjects = (team: Team) => listProjectsOfTeam(team.id, 1, PAGE_SIZE);
  const ofWorkspaces = (team: Team) => listWorkspacesOfTeam(team.id, 1, PAGE_SIZE);
  const projects = useQueries({ queries: teams.map((team) => apiQuery(ofProjects(team))) });
  const workspaces = useQueries({ queries: teams.map((team) => apiQuery(ofWorkspaces(team))) });
  const rows = teams.flatMap((team, index): readonly Row[] => {
    const everywhere = accessByOrganization(team.attributes['organization-access']);
    const [toProjects, toWorkspaces] = [projects[index]?.data?.document, workspaces[index]?.data?.document];
    return [
      ...(everywhere === undefined ? [] : [{ key: team.id, access: everywhere.access, team }]),
      ...(toProjects?.data ?? []).map(({ id, attributes: { access }, relationships: { project } }) => {
        const name = findIncluded(toProjects ?? {}, 'projects', project.data)?.attributes.name ?? project.data.id;
        return {
          key: id,
          to: { type: 'projects', id: project.data.id, name },
          access: projectLevels[access],
          team,
        } as const;
      }),
      ...(toWorkspaces?.data ?? []).map(({ id, attributes: { access }, relationships: { workspace } }) => {
        const name =
          findIncluded(toWorkspaces ?? {}, 'workspaces', workspace.data)?.attributes.name ?? workspace.data.id;
        return {
          key: id,
          to: { type: 'workspaces', id: workspace.data.id, name },
          access: workspaceLevels[access],
          team,
        } as const;
      }),
    ];
  });
  const queries: readonly UseQueryResult<unknown, unknown>[] = [...projects, ...workspaces];
  const pending = queries.find(({ data }) => data === undefined);
  const isCut = [...projects, ...workspaces].some(
    ({ data }) => (data?.document.meta.pagination['total-count'] ?? 0) > PAGE_SIZE,
  );
  const content =
    rows.length === 0 ? (
      <p className="muted">The teams have no access that you see.</p>
    ) : (
      <DataTable
        label="Access"
        rows={rows}
        rowKey={({ key }) => key}
        columns={[
          {
            name: 'To',
            cell: ({ to }) =>
              to === undefined ? (
                'all workspaces'
              ) : (
                <>
                  {to.type === 'projects' ? 'project' : 'workspace'} <ResourceLink {...to} />
                </>
              ),
          },
          { name: 'Access', cell: ({ access }) => access },
          {
            name: 'By the team',
            cell: ({ team }) => <ResourceLink type="teams" id={team.id} name={team.attributes.name} />,
          },
        ]}
      />
    );
  return (
    <Section
      title="Access"
      description="Projects and workspaces that you may not see are missing."
      actions={
        <OptionsMenu of="the access" requests={teams.flatMap((team) => [ofProjects(team), ofWorkspaces(team)])} />
      }
    >
      {pending === undefined ? content : <Loaded query={pending}>{() => null}</Loaded>}
      {isCut && <p className="muted">Only the first {PAGE_SIZE} of each team are shown.</p>}
    </Section>
  );
};
