import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import {
  addProjectAccess,
  changeProjectAccess,
  listProjectsOfTeam,
  type ProjectAccess as ProjectAccessLevel,
  removeProjectAccess,
  type TeamProject,
} from '../../../../../shared/client/projects.ts';
import {
  type AccessLevel,
  addTeamAccess,
  changeTeamAccess,
  listWorkspacesOfTeam,
  removeTeamAccess,
  type TeamWorkspace,
} from '../../../../../shared/client/team-access.ts';
import { deleteTeam, showTeam, type Team, type TeamDocument } from '../../../../../shared/client/teams.ts';
import type { DocumentOf } from '../../../../../shared/client/types.ts';
import { useHasIdentityProviders } from '../../api/identity-providers.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { apiQuery } from '../../api/query-client.ts';
import { Badge } from '../../components/badge.tsx';
import { DeleteDialog } from '../../components/confirm-dialog.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { EditDialog } from '../../components/edit-dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import {
  type AccessLevels,
  accessByOrganization,
  heldRights,
  projectLevels,
  workspaceLevels,
} from '../../lib/access-levels.ts';
import { type AccessGroup, partsInWords, projectAccessGroups, workspaceAccessGroups } from '../../lib/custom-access.ts';
import { missingPermission, type UsedPermission } from '../../lib/permissions.ts';
import { useRecentPage } from '../../lib/recent-pages.ts';
import { toLabel } from '../../lib/words.ts';
import { AddAccessDialog } from '../team-access-dialog.tsx';
import { accessActions } from '../team-access-list.tsx';
import { TeamDialog, teamPaths, visibilities } from './team-dialog.tsx';
import { TeamMembers } from './team-members.tsx';
import { TeamTokens } from './team-tokens.tsx';
import { useMissingPermission } from './use-organization.ts';

const route = getRouteApi('/signed-in/$organization/teams/$team');

/** Shows a team: its members, what it may do and where, and its tokens. */
export const TeamPage = () => {
  const { organization, team: id } = route.useParams();
  const team = useQuery(apiQuery(showTeam(id)));
  if (isNotFound(team.error)) {
    return <NotFound kind="Team" list={<TeamsLink organization={organization} label="all teams" />} />;
  }
  return <Loaded query={team}>{({ document }) => <Content organization={organization} document={document} />}</Loaded>;
};

const TeamsLink = ({ organization, label }: { readonly organization: string; readonly label: string }) => (
  <Link to="/$organization/teams" params={{ organization }}>
    {label}
  </Link>
);

interface ContentProps {
  readonly organization: string;
  readonly document: TeamDocument;
}

const permissionOf = (
  { attributes }: Team,
  name: Extract<keyof NonNullable<Team['attributes']['permissions']>, UsedPermission>,
): string | undefined => missingPermission(attributes.permissions ?? {}, name);

/** Reason why nobody can change the owners team (TEAM-3). */
const OWNERS_TEAM = 'The owners team always has all rights. It cannot be renamed or deleted.';

const Content = ({ organization, document }: ContentProps) => {
  const team = document.data;
  const { id, attributes } = team;
  const { name } = attributes;
  useRecentPage([organization, 'teams', id], name);
  const isOwners = name === 'owners';
  const navigate = useNavigate();
  const missing = useMissingPermission('can-create-team');
  const hasProviders = useHasIdentityProviders();
  /** Returns why the team cannot be changed: those who may change teams need no permission for the owners team. */
  const readOnly = (permission: Parameters<typeof permissionOf>[1]) => {
    const refused = permissionOf(team, permission);
    if (refused === undefined || missing !== undefined || !isOwners) return refused;
    return hasProviders ? `${OWNERS_TEAM} Its group is one of the organization settings.` : OWNERS_TEAM;
  };
  const request = showTeam(id);
  return (
    <ResourcePage
      organization={organization}
      title={name}
      list={<TeamsLink organization={organization} label="Teams" />}
      badges={attributes.visibility === 'secret' && <Badge>secret</Badge>}
      request={request}
      changes={{ text: id }}
      actions={[
        {
          label: 'Delete',
          isDangerous: true,
          disabledReason: readOnly('can-destroy'),
          dialog: (onClose) => (
            <DeleteDialog
              shown={attributes}
              title={`Delete “${name}”`}
              description="Its access to workspaces and projects ends, and its tokens are revoked."
              submitLabel="Delete"
              confirmName={name}
              request={deleteTeam(id)}
              invalidates={teamPaths(organization).filter((path) => path !== '/teams')}
              message={`Deleted the team ${name}.`}
              leave={() => navigate({ to: '/$organization/teams', params: { organization } })}
              onClose={onClose}
            />
          ),
        },
        {
          label: 'Edit',
          disabledReason: readOnly('can-update-organization-access'),
          dialog: (onClose) => (
            <EditDialog title={`Edit “${name}”`} query={apiQuery(request)} onClose={onClose}>
              {(edited) => <TeamDialog edited={edited} onClose={onClose} />}
            </EditDialog>
          ),
        },
      ]}
      facts={
        <>
          <About organization={organization} team={team} />
          <Rights team={team} />
        </>
      }
    >
      <TeamMembers document={document} readOnly={permissionOf(team, 'can-update-membership')} />
      <ProjectAccess organization={organization} team={team} />
      <WorkspaceAccess organization={organization} team={team} />
      <TeamTokens team={team} />
    </ResourcePage>
  );
};

interface TeamProps {
  readonly organization: string;
  readonly team: Team;
}

const About = ({ organization, team: { id, attributes } }: TeamProps) => {
  const hasProviders = useHasIdentityProviders();
  const settings = useQuery(organizationQuery(organization)).data?.document.data.attributes;
  const group = attributes.name === 'owners' ? settings?.['owners-team-saml-role-id'] : attributes['sso-team-id'];
  return (
    <Section title="About">
      <Facts
        facts={[
          ['Visibility', visibilities[attributes.visibility]],
          ...(hasProviders ? [[toLabel('sso-team-id'), group ?? 'none'] as const] : []),
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
    </Section>
  );
};

const Rights = ({ team: { attributes } }: Pick<TeamProps, 'team'>) => {
  const held = heldRights(attributes['organization-access']);
  return (
    <Section title="Rights in the organization">
      {held.length === 0 ? (
        <p className="muted">none</p>
      ) : (
        <ul className="stack stack-tight">
          {held.map((right) => (
            <li key={right}>{right}</li>
          ))}
        </ul>
      )}
    </Section>
  );
};

/** Returns what the list of the access of a team says while it is empty. Owners see everything. */
const useEmptyTitle = (kind: 'project' | 'workspace'): string =>
  useMissingPermission('can-update') === undefined ? `No access to ${kind}s yet` : `No access to ${kind}s that you see`;

/** Shows a level of access, and the parts of custom access below it. */
const showAccess = <L extends string>(
  levels: AccessLevels<L>,
  groups: readonly AccessGroup[],
  attributes: { readonly access: L },
) => (
  <>
    {levels[attributes.access]}
    {attributes.access === 'custom' && <div className="muted">{partsInWords(groups, attributes)}</div>}
  </>
);

const ProjectAccess = ({ organization, team: { id, attributes } }: TeamProps) => {
  const everywhere = accessByOrganization(attributes['organization-access']);
  const actions = accessActions<ProjectAccessLevel, TeamProject>({
    levels: projectLevels,
    groups: projectAccessGroups,
    invalidates: ['/team-projects'],
    disabledReason: undefined,
    change: changeProjectAccess,
    remove: removeProjectAccess,
    teamOf: () => attributes.name,
    targetOf: (project) => project,
  });
  return (
    <ResourceList<DocumentOf<'get', '/api/v2/team-projects'>>
      title="Access to projects"
      frame={Section}
      {...(everywhere !== undefined && {
        description: `To all workspaces, by a right in the organization: ${everywhere.access}`,
      })}
      request={(page) => listProjectsOfTeam(id, page)}
      nameOf={({ relationships: { project } }, document) =>
        findIncluded(document, 'projects', project.data)?.attributes.name ?? project.data.id
      }
      emptyTitle={useEmptyTitle('project')}
      {...(attributes.name !== 'owners' && {
        add: {
          label: 'Add project',
          dialog: (onClose: () => void) => (
            <AddAccessDialog
              title={`Give “${attributes.name}” access to a project`}
              kind="project"
              organization={organization}
              levels={projectLevels}
              groups={projectAccessGroups}
              request={(project, access) => addProjectAccess(project, id, access)}
              invalidates={['/team-projects']}
              onClose={onClose}
            />
          ),
        },
      })}
      columns={(_, nameOf) => ({
        Project: {
          cell: (access) => (
            <ResourceLink type="projects" id={access.relationships.project.data.id} name={nameOf(access)} />
          ),
        },
        access: { cell: ({ attributes: access }) => showAccess(projectLevels, projectAccessGroups, access) },
        'project-access': false,
        'workspace-access': false,
      })}
      actions={actions}
    />
  );
};

const WorkspaceAccess = ({ organization, team: { id, attributes } }: TeamProps) => {
  const actions = accessActions<AccessLevel, TeamWorkspace>({
    levels: workspaceLevels,
    groups: workspaceAccessGroups,
    invalidates: ['/team-workspaces'],
    disabledReason: undefined,
    change: changeTeamAccess,
    remove: removeTeamAccess,
    teamOf: () => attributes.name,
    targetOf: (workspace) => workspace,
  });
  return (
    <ResourceList<DocumentOf<'get', '/api/v2/team-workspaces'>>
      title="Access to workspaces"
      frame={Section}
      description="In addition to access through projects and the organization."
      request={(page) => listWorkspacesOfTeam(id, page)}
      nameOf={({ relationships: { workspace } }, document) =>
        findIncluded(document, 'workspaces', workspace.data)?.attributes.name ?? workspace.data.id
      }
      emptyTitle={useEmptyTitle('workspace')}
      {...(attributes.name !== 'owners' && {
        add: {
          label: 'Add workspace',
          dialog: (onClose: () => void) => (
            <AddAccessDialog
              title={`Give “${attributes.name}” access to a workspace`}
              kind="workspace"
              organization={organization}
              levels={workspaceLevels}
              groups={workspaceAccessGroups}
              request={(workspace, access) => addTeamAccess(workspace, id, access)}
              invalidates={['/team-workspaces']}
              onClose={onClose}
            />
          ),
        },
      })}
      columns={(_, nameOf) => ({
        Workspace: {
          cell: (access) => (
            <ResourceLink type="workspaces" id={access.relationships.workspace.data.id} name={nameOf(access)} />
          ),
        },
        access: { cell: ({ attributes: access }) => showAccess(workspaceLevels, workspaceAccessGroups, access) },
        runs: false,
        variables: false,
        'state-versions': false,
        'workspace-locking': false,
        'policy-overrides': false,
        'run-tasks': false,
        'sentinel-mocks': false,
      })}
      actions={actions}
    />
  );
};
