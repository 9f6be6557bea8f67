import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import {
  addProjectAccess,
  addProjectTagBindings,
  changeProjectAccess,
  deleteProject,
  listProjectAccess,
  type ProjectAccess,
  type ProjectDocument,
  removeProjectAccess,
  replaceProjectTagBindings,
  showProject,
  type TeamProject,
} from '../../../../../shared/client/projects.ts';
import type { Reply } from '../../../../../shared/client/send.ts';
import type { Project, VariableSet } from '../../../../../shared/client/types.ts';
import { listProjectVariableSets } from '../../../../../shared/client/variable-sets.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { projectQuery } from '../../api/projects.ts';
import { apiQuery } from '../../api/query-client.ts';
import { Badge } from '../../components/badge.tsx';
import { DeleteDialog } from '../../components/confirm-dialog.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { EditDialog } from '../../components/edit-dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { projectLevels } from '../../lib/access-levels.ts';
import { partsInWords, projectAccessGroups } from '../../lib/custom-access.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { useRecentPage } from '../../lib/recent-pages.ts';
import { toLabel } from '../../lib/words.ts';
import { InheritedAccess } from '../inherited-access.tsx';
import { NamedLink } from '../named-link.tsx';
import { TagsSection } from '../tags-section.tsx';
import { TeamAccessList } from '../team-access-list.tsx';
import { VariableSetName } from '../variable-set-name.tsx';
import { ProjectDialog, projectPaths } from './project-dialog.tsx';
import { ProjectWorkspaces } from './project-workspaces.tsx';
import { ProjectDefault } from './projects-page.tsx';

const route = getRouteApi('/signed-in/$organization/projects/$project');

/** Shows a project: its workspaces, who may use them, what applies to them, and its settings. */
export const ProjectPage = () => {
  const { organization, project: id } = route.useParams();
  const project = useQuery(projectQuery(id));
  if (isNotFound(project.error)) {
    return <NotFound kind="Project" list={<ProjectsLink organization={organization} label="all projects" />} />;
  }
  return <Loaded query={project}>{(reply) => <Content organization={organization} reply={reply} />}</Loaded>;
};

const ProjectsLink = ({ organization, label }: { readonly organization: string; readonly label: string }) => (
  <Link to="/$organization/projects" params={{ organization }}>
    {label}
  </Link>
);

interface ContentProps {
  readonly organization: string;
  readonly reply: Reply<ProjectDocument>;
}

interface ProjectProps {
  readonly organization: string;
  readonly project: Project;
}

const Content = ({ organization, reply }: ContentProps) => {
  const project = reply.document.data;
  const { id, attributes } = project;
  const { name, description, permissions } = attributes;
  useRecentPage([organization, 'projects', id], name);
  const request = showProject(id);
  const query = apiQuery(request);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const owner = useQuery(organizationQuery(organization)).data?.document.data;
  const isDefault = owner?.relationships['default-project'].data?.id === id;
  const readOnly = missingPermission(permissions, 'can-update');
  const kept =
    missingPermission(permissions, 'can-destroy') ??
    (isDefault ? 'The default project cannot be deleted.' : undefined) ??
    (attributes['workspace-count'] ? 'A project that has workspaces cannot be deleted.' : undefined);
  return (
    <ResourcePage
      organization={organization}
      title={name}
      list={<ProjectsLink organization={organization} label="Projects" />}
      badges={isDefault && <Badge>default project</Badge>}
      request={request}
      actions={[
        {
          label: 'Delete',
          isDangerous: true,
          disabledReason: kept,
          dialog: (onClose) => (
            <DeleteDialog
              shown={attributes}
              title={`Delete “${name}”`}
              description="The access of teams to it ends, and the variable sets that it owns are deleted."
              submitLabel="Delete"
              confirmName={name}
              request={deleteProject(id)}
              invalidates={[`/organizations/${organization}/projects`]}
              message={`Deleted the project ${name}.`}
              leave={() => navigate({ to: '/$organization/projects', params: { organization } })}
              onClose={onClose}
            />
          ),
        },
        {
          label: 'Edit',
          disabledReason: readOnly,
          dialog: (onClose) => (
            <EditDialog title={`Edit “${name}”`} query={query} onClose={onClose}>
              {(edited) => <ProjectDialog edited={edited} onClose={onClose} />}
            </EditDialog>
          ),
        },
      ]}
      description={description && <p>{toVisible(description)}</p>}
      facts={
        <>
          <Settings organization={organization} project={project} />
          <TagsSection
            name={name}
            description="All workspaces of the project inherit its tags, and can override their values."
            emptyText="No tags. All workspaces of the project inherit its tags."
            disabledReason={readOnly}
            resource={{
              organization,
              type: 'project',
              reply,
              reload: () => queryClient.fetchQuery({ ...query, staleTime: 0 }),
              // Workspaces inherit the tags.
              invalidates: [`/projects/${id}`, `/organizations/${organization}/workspaces`],
              add: (bindings) => addProjectTagBindings(id, bindings),
              remove: (_, remaining, etag) => replaceProjectTagBindings(id, remaining, etag),
              removal: 'Workspaces of the project lose it too, unless they have a tag with this key of their own.',
            }}
          />
        </>
      }
    >
      <ProjectWorkspaces organization={organization} project={id} />
      <TeamAccessList<ProjectAccess, TeamProject>
        organization={organization}
        name={name}
        levels={projectLevels}
        groups={projectAccessGroups}
        columns={{
          'project-access': {
            name: 'Parts of custom access',
            cell: ({ attributes }) =>
              attributes.access === 'custom' ? partsInWords(projectAccessGroups, attributes) : null,
          },
          'workspace-access': false,
        }}
        invalidates={['/team-projects', ...projectPaths(organization)]}
        disabledReason={missingPermission(permissions, 'can-manage-teams')}
        description="Access to this project alone."
        emptyTitle="No team was given access to this project"
        list={(page) => listProjectAccess(id, page)}
        add={(team, access) => addProjectAccess(id, team, access)}
        change={changeProjectAccess}
        remove={removeProjectAccess}
      />
      <InheritedAccess
        organization={organization}
        title="Access through the organization"
        description="Access to all workspaces, those of this project included."
      />
      <VariableSets project={project} />
    </ResourcePage>
  );
};

const Settings = ({ project: { id, attributes, relationships } }: ProjectProps) => {
  const pool = relationships['default-agent-pool'].data;
  const inactivity = attributes['auto-destroy-activity-duration'];
  const references = attributes['allowed-value-references'];
  return (
    <Section title="Settings">
      <Facts
        facts={[
          [
            toLabel('default-execution-mode'),
            <ProjectDefault key="mode" name="default-execution-mode" attributes={attributes} />,
          ],
          ...(pool === null
            ? []
            : [[toLabel('default-agent-pool-id'), <NamedLink key="pool" type="agent-pools" id={pool.id} />] as const]),
          [
            toLabel('default-deletion-protection'),
            <ProjectDefault key="protection" name="default-deletion-protection" attributes={attributes} />,
          ],
          [toLabel('auto-destroy-activity-duration'), inactivity ?? 'none'],
          ...(references.length > 0
            ? [[toLabel('allowed-value-references'), <code key="references">{references.join(', ')}</code>] as const]
            : []),
          [toLabel('created-at'), <Time key="created" value={attributes['created-at']} />],
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
    </Section>
  );
};

/** Says why a variable set applies to the workspaces of a project. */
const originOf = ({ attributes, relationships: { parent } }: VariableSet): string => {
  if (attributes.global) return 'applies to all workspaces';
  return parent.data.type === 'projects' ? 'owned by this project' : 'assigned to this project';
};

const VariableSets = ({ project: { id } }: Pick<ProjectProps, 'project'>) => (
  <ResourceList
    title="Variable sets"
    frame={Section}
    description="Of all workspaces, assigned to this project, or owned by it."
    request={(page) => listProjectVariableSets(id, page)}
    nameOf={({ attributes }) => attributes.name}
    emptyTitle="No variable set applies to the project"
    concealed="You need permission to read the variable sets of the project."
    columns={() => ({
      name: {
        cell: (set) => (
          <span className="cluster">
            <VariableSetName variableSet={set} />
          </span>
        ),
      },
      global: { name: 'Origin', cell: originOf },
      'var-count': { name: 'Variables', isNumber: true },
      // Shown with the name.
      priority: false,
      description: false,
      'workspace-count': false,
      'project-count': false,
      'created-at': false,
      'updated-at': false,
      permissions: false,
    })}
  />
);
