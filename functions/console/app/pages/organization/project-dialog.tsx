import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createProject, type ProjectInput, updateProject } from '../../../../../shared/client/projects.ts';
import type { ExecutionMode, Project } from '../../../../../shared/client/types.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { changedEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import type { Edited } from '../../components/edit-dialog.tsx';
import { SelectField, TextField, toOptions } from '../../components/form.tsx';
import { DEFAULT_PROTECTION_HINT, toLabel } from '../../lib/words.ts';
import { defaultModes } from './default-modes.ts';
import { useOrganizationName } from './use-organization.ts';

/** Paths whose data are out of date after a change of a project. */
export const projectPaths = (organization: string): readonly string[] => [
  `/organizations/${organization}/projects`,
  '/projects',
];

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

/** Shows a dialog that creates a project or edits it. */
export const ProjectDialog = ({ edited, onClose }: ProjectDialogProps) => {
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
    invalidates: projectPaths(organization),
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
