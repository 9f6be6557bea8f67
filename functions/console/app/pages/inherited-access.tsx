import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { findIncluded } from '../../../../shared/client/documents.ts';
import { listProjectAccess } from '../../../../shared/client/projects.ts';
import { listTeamsOnly } from '../../../../shared/client/teams.ts';
import type { Project } from '../../../../shared/client/types.ts';
import { allPagesQuery } from '../api/query-client.ts';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { OptionsMenu } from '../components/options-menu.tsx';
import { Section } from '../components/page.tsx';
import { ResourceLink } from '../components/resource-link.tsx';
import { accessByOrganization, projectLevels } from '../lib/access-levels.ts';
import { useMissingPermission } from './organization/use-organization.ts';

/** Access of a team that comes from the project or the organization. */
interface Row {
  readonly key: string;
  readonly team: { readonly id: string; readonly name: string };
  readonly access: string;
  readonly origin: ReactNode;
}

/** Number of teams of a page; the largest that the API returns. */
const PAGE_SIZE = 100;

interface InheritedAccessProps {
  readonly organization: string;
  readonly title: string;
  /** Says what the access is to, where it is not the subject of the page. */
  readonly description?: string;
  /** A project whose teams have access this way, too. */
  readonly project?: Project | undefined;
}

/** Shows which teams have access by their rights in the organization and, with a project, by their access to it. */
export const InheritedAccess = ({ organization, title, description, project }: InheritedAccessProps) => {
  // Owners see all teams.
  const isOwner = useMissingPermission('can-update') === undefined;
  const ofProject = (page: number) => listProjectAccess(project?.id ?? '', page, PAGE_SIZE);
  const ofOrganization = (page: number) => listTeamsOnly(organization, page);
  const access = useQuery({ ...allPagesQuery(ofProject), enabled: project !== undefined });
  const teams = useQuery(allPagesQuery(ofOrganization));

  const organizationRows = (teams.data ?? []).flatMap(({ data }) =>
    data.flatMap(({ id, attributes }): readonly Row[] => {
      const granted = accessByOrganization(attributes['organization-access']);
      if (granted === undefined) return [];
      const origin = <>organization: {attributes.name === 'owners' ? 'owners' : granted.right}</>;
      return [{ key: `organization ${id}`, team: { id, name: attributes.name }, access: granted.access, origin }];
    }),
  );
  const projectRows = (access.data ?? []).flatMap((page) =>
    page.data.map(
      ({ id, attributes, relationships: { team } }): Row => ({
        key: id,
        team: { id: team.data.id, name: findIncluded(page, 'teams', team.data)?.attributes.name ?? team.data.id },
        access: projectLevels[attributes.access],
        origin: (
          <>project {project && <ResourceLink type="projects" id={project.id} name={project.attributes.name} />}</>
        ),
      }),
    ),
  );
  const rows = [...projectRows, ...organizationRows];
  const table =
    rows.length === 0 ? (
      <EmptyState title="You see no team that has access this way" />
    ) : (
      <DataTable
        label={title}
        rows={rows}
        rowKey={({ key }) => key}
        columns={[
          { name: 'Team', cell: ({ team }) => <ResourceLink type="teams" {...team} /> },
          { name: 'Access', cell: (row) => row.access },
          { name: 'Origin', cell: ({ origin }) => <span>{origin}</span> },
        ]}
      />
    );
  return (
    <Section
      title={title}
      description={[
        description,
        'Change it where it comes from.',
        !isOwner && 'Secret teams that you may not see are missing.',
      ]
        .filter(Boolean)
        .join(' ')}
      actions={
        <OptionsMenu
          of="the inherited access"
          requests={[...(project === undefined ? [] : [ofProject(1)]), ofOrganization(1)]}
        />
      }
    >
      <Loaded query={teams}>
        {() => (project === undefined ? table : <Loaded query={access}>{() => table}</Loaded>)}
      </Loaded>
    </Section>
  );
};
