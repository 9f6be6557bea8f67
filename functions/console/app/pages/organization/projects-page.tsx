import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { organizationQuery } from '../../api/organizations.ts';
import { createProject, deleteProject, listProjects, type ProjectInput, updateProject } from '../../api/projects.ts';
import type { Project } from '../../api/types.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { toLabel } from '../../lib/words.ts';
import { ProjectAccessDialog } from './project-access-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/projects`];

/** Lists the projects of an organization, changes them and the access of teams to them. */
export const ProjectsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-create-project');
  const { data } = useQuery(organizationQuery(organization));
  const defaultProject = data?.document.data.relationships['default-project'].data?.id;
  return (
    <ResourceList
      title="Projects"
      frame={Page}
      request={(page) => listProjects(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="You see no project"
      columns={() => [
        {
          name: 'Name',
          cell: ({ id, attributes }) => (
            <>
              <Link to="/$organization/workspaces" params={{ organization }} search={{ project: id }}>
                {toVisible(attributes.name)}
              </Link>
              {attributes.description && <div className="muted">{toVisible(attributes.description)}</div>}
            </>
          ),
        },
        {
          name: 'Workspaces',
          isNumber: true,
          cell: ({ attributes }) => attributes['workspace-count']?.toLocaleString() ?? 'unknown',
        },
        { name: 'Teams', isNumber: true, cell: ({ attributes }) => attributes['team-count'].toLocaleString() },
        {
          name: toLabel('default-execution-mode'),
          cell: ({ attributes }) => (
            <Default isOwn={ownMode(attributes) !== ''} value={attributes['default-execution-mode']} />
          ),
        },
        {
          name: toLabel('default-deletion-protection'),
          cell: ({ attributes }) => (
            <Default
              isOwn={ownProtection(attributes) !== ''}
              value={attributes['default-deletion-protection'] ? 'on' : 'off'}
            />
          ),
        },
      ]}
      add={{
        label: 'New project',
        disabledReason: missing,
        dialog: (onClose) => <ProjectDialog onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Team access',
          disabledReason: ({ attributes }) => missingPermission(attributes.permissions, 'can-read-teams'),
          dialog: (project, onClose) => <ProjectAccessDialog project={project} onClose={onClose} />,
        },
        {
          label: 'Edit',
          disabledReason: ({ attributes }) => missingPermission(attributes.permissions, 'can-update'),
          dialog: (project, onClose) => <ProjectDialog project={project} onClose={onClose} />,
        },
      ]}
      deletion={{
        description: 'The access of teams to it ends.',
        request: deleteProject,
        invalidates: pathsOf(organization),
        disabledReason: ({ id, attributes }) =>
          missingPermission(attributes.permissions, 'can-destroy') ??
          (id === defaultProject ? 'The default project cannot be deleted.' : undefined) ??
          (attributes['workspace-count'] ? 'It still has workspaces.' : undefined),
        isNameTyped: true,
      }}
    />
  );
};

/** Shows the default of a project, and whether it is that of the organization. */
const Default = ({ isOwn, value }: { readonly isOwn: boolean; readonly value: string }) => (
  <span>
    {value} {!isOwn && <span className="muted">(inherited)</span>}
  </span>
);

const modes = [
  { value: '', label: 'As in the organization' },
  { value: 'remote', label: 'Remote' },
  { value: 'local', label: 'Local: only stores state' },
] as const;

const protections = [
  { value: '', label: 'As in the organization' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
] as const;

type Mode = (typeof modes)[number]['value'] | 'agent';
type Protection = (typeof protections)[number]['value'];

const ownMode = (attributes: Project['attributes'] | undefined): Mode =>
  attributes?.['setting-overwrites']['default-execution-mode'] ? attributes['default-execution-mode'] : '';

const ownProtection = (attributes: Project['attributes'] | undefined): Protection => {
  if (!attributes?.['setting-overwrites']['default-deletion-protection']) return '';
  return attributes['default-deletion-protection'] ? 'on' : 'off';
};

const ProjectDialog = ({ project, onClose }: { readonly project?: Project; readonly onClose: () => void }) => {
  const organization = useOrganizationName();
  const [name, setName] = useState(project?.attributes.name ?? '');
  const [description, setDescription] = useState(project?.attributes.description ?? '');
  const [mode, setMode] = useState(ownMode(project?.attributes));
  const [protection, setProtection] = useState(ownProtection(project?.attributes));
  const action = useDialogAction<unknown>({
    invalidates: pathsOf(organization),
    message: project === undefined ? `Created ${name}.` : `Changed ${name}.`,
    onClose,
  });
  const input: ProjectInput = {
    name,
    description,
    'default-execution-mode': mode === '' ? null : mode,
    'default-deletion-protection': protection === '' ? null : protection === 'on',
  };
  const isUnchanged =
    project !== undefined &&
    name === project.attributes.name &&
    description === (project.attributes.description ?? '') &&
    mode === ownMode(project.attributes) &&
    protection === ownProtection(project.attributes);
  // A project with an agent pool keeps it: its mode is not sent.
  const { 'default-execution-mode': _, ...rest } = input;
  const change = mode === 'agent' ? rest : input;
  return (
    <ActionDialog
      title={project === undefined ? 'New project' : `Edit “${project.attributes.name}”`}
      submitLabel={project === undefined ? 'Create' : 'Save'}
      action={action}
      request={project === undefined ? createProject(organization, input) : updateProject(project.id, change)}
      required={{ Name: name }}
      isUnchanged={isUnchanged}
      onClose={onClose}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} autoFocus />
      <TextField name="description" label="Description" isOptional value={description} onChange={setDescription} />
      <SelectField<Mode>
        name="default-execution-mode"
        label="Default execution mode"
        value={mode}
        options={mode === 'agent' ? [...modes, { value: 'agent', label: 'Agent' }] : modes}
        onChange={setMode}
      />
      <SelectField
        name="default-deletion-protection"
        label="Default deletion protection"
        value={protection}
        options={protections}
        onChange={setProtection}
      />
    </ActionDialog>
  );
};
