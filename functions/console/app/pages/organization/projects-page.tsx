import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  createProject,
  deleteProject,
  listProjects,
  type ProjectInput,
  updateProject,
} from '../../../../../shared/client/projects.ts';
import type { ExecutionMode, Project } from '../../../../../shared/client/types.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { projectQuery } from '../../api/projects.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { changedEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { EditDialog, type Edited } from '../../components/edit-dialog.tsx';
import { SelectField, TextField, toOptions } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { DEFAULT_PROTECTION_HINT, toLabel } from '../../lib/words.ts';
import { defaultModes } from './default-modes.ts';
import { ProjectAccessDialog } from './project-access-dialog.tsx';
import { ProjectTagsDialog } from './project-tags-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/projects`];

/** Lists the projects of an organization, changes them, their tags and the access of teams to them. */
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
      columns={() => ({
        name: {
          cell: ({ id, attributes }) => (
            <>
              <Link to="/$organization/workspaces" params={{ organization }} search={{ project: id }}>
                {toVisible(attributes.name)}
              </Link>
              {attributes.description && <div className="muted">{toVisible(attributes.description)}</div>}
            </>
          ),
        },
        'workspace-count': {
          name: 'Workspaces',
          isNumber: true,
          cell: ({ attributes }) => attributes['workspace-count']?.toLocaleString() ?? 'unknown',
        },
        'team-count': { name: 'Teams', isNumber: true },
        'default-execution-mode': {
          cell: ({ attributes }) => (
            <Default
              isOwn={attributes['setting-overwrites']['default-execution-mode']}
              value={attributes['default-execution-mode']}
            />
          ),
        },
        'default-deletion-protection': {
          cell: ({ attributes }) => (
            <Default
              isOwn={attributes['setting-overwrites']['default-deletion-protection']}
              value={attributes['default-deletion-protection'] ? 'on' : 'off'}
            />
          ),
        },
        // Shown below the name.
        description: false,
        // Shown with the defaults.
        'setting-overwrites': false,
        'created-at': false,
        'auto-destroy-activity-duration': false,
        'allowed-value-references': false,
        'is-unified': false,
        permissions: false,
      })}
      add={{
        label: 'New project',
        disabledReason: missing,
        dialog: (onClose) => <ProjectDialog onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Team access',
          dialog: (project, onClose) => <ProjectAccessDialog project={project} onClose={onClose} />,
        },
        { label: 'Tags', dialog: (project, onClose) => <ProjectTagsDialog project={project} onClose={onClose} /> },
        {
          label: 'Edit',
          disabledReason: ({ attributes }) => missingPermission(attributes.permissions, 'can-update'),
          dialog: ({ id, attributes }, onClose) => (
            <EditDialog title={`Edit “${attributes.name}”`} query={projectQuery(id)} onClose={onClose}>
              {(edited) => <ProjectDialog edited={edited} onClose={onClose} />}
            </EditDialog>
          ),
        },
      ]}
      deletion={{
        kind: 'project',
        description: 'The access of teams to it ends.',
        request: deleteProject,
        invalidates: pathsOf(organization),
        disabledReason: ({ id, attributes }) =>
          missingPermission(attributes.permissions, 'can-destroy') ??
          (id === defaultProject ? 'The default project cannot be deleted.' : undefined) ??
          (attributes['workspace-count'] ? 'A project that has workspaces cannot be deleted.' : undefined),
        isNameTyped: true,
      }}
    />
  );
};

/** Shows the default of a project, and whether the project inherits it. */
const Default = ({ isOwn, value }: { readonly isOwn: boolean; readonly value: string }) => (
  <span>
    {value} {!isOwn && <span className="muted">(inherited)</span>}
  </span>
);

type Mode = ExecutionMode | '';
type Protection = 'on' | 'off' | '';

/** Labels the choice to inherit a setting, with the value if it is loaded. */
const inheritChoice = (value: string | undefined) =>
  ({ value: '', label: `Inherited from the organization${value === undefined ? '' : ` (${value})`}` }) as const;

const toProtection = (isProtected: boolean | null): Protection => {
  if (isProtected === null) return '';
  return isProtected ? 'on' : 'off';
};

const toInput = (attributes: Project['attributes']): ProjectInput => {
  const own = attributes['setting-overwrites'];
  return {
    name: attributes.name,
    description: attributes.description ?? '',
    'default-execution-mode': own['default-execution-mode'] ? attributes['default-execution-mode'] : null,
    'default-deletion-protection': own['default-deletion-protection']
      ? attributes['default-deletion-protection']
      : null,
  };
};

interface ProjectDialogProps {
  readonly edited?: Edited<{ readonly data: Project }>;
  readonly onClose: () => void;
}

const ProjectDialog = ({ edited, onClose }: ProjectDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const project = opened?.document.data;
  const before = project && toInput(project.attributes);
  const [name, setName] = useState(before?.name ?? '');
  const [description, setDescription] = useState(before?.description ?? '');
  const [mode, setMode] = useState<Mode>(before?.['default-execution-mode'] ?? '');
  const [protection, setProtection] = useState<Protection>(
    toProtection(before?.['default-deletion-protection'] ?? null),
  );
  const action = useDialogAction<unknown>({
    invalidates: pathsOf(organization),
    message: project === undefined ? `Created the project ${name}.` : `Changed the project ${name}.`,
    onClose,
  });
  const { base, changes } = useRevision(opened, action.error, edited?.reload);
  const input: ProjectInput = {
    name,
    description,
    'default-execution-mode': mode === '' ? null : mode,
    'default-deletion-protection': protection === '' ? null : protection === 'on',
  };
  const changed = before && changedEntries(before, input);
  const inherited = useQuery(organizationQuery(organization)).data?.document.data.attributes;
  const inheritedProtection = inherited && (inherited['default-deletion-protection'] ? 'on' : 'off');
  return (
    <ActionDialog
      title={project === undefined ? 'New project' : `Edit “${project.attributes.name}”`}
      submitLabel={project === undefined ? 'Create' : 'Save'}
      action={action}
      request={
        project === undefined
          ? createProject(organization, input)
          : updateProject(project.id, changed ?? {}, base?.etag)
      }
      required={{ Name: name }}
      isUnchanged={changed !== undefined && Object.keys(changed).length === 0}
      changes={changes}
      onClose={onClose}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} autoFocus />
      <TextField name="description" label="Description" isOptional value={description} onChange={setDescription} />
      <SelectField<Mode>
        name="default-execution-mode"
        label="Default execution mode"
        value={mode}
        options={[
          inheritChoice(inherited?.['default-execution-mode']),
          ...defaultModes(before?.['default-execution-mode']),
        ]}
        onChange={setMode}
      />
      <SelectField<Protection>
        name="default-deletion-protection"
        label={toLabel('default-deletion-protection')}
        hint={DEFAULT_PROTECTION_HINT}
        value={protection}
        options={[inheritChoice(inheritedProtection), ...toOptions({ on: 'On', off: 'Off' })]}
        onChange={setProtection}
      />
    </ActionDialog>
  );
};
