import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createProject, type ProjectInput, updateProject } from '../../../../../shared/client/projects.ts';
import type { ExecutionMode, Project } from '../../../../../shared/client/types.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { changedEntries, rebaseEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import type { Edited } from '../../components/edit-dialog.tsx';
import { bindFields, SelectField, TextField, toOptions } from '../../components/form.tsx';
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

/** Values of the form. */
interface Entries {
  readonly name: string;
  readonly description: string;
  readonly 'default-execution-mode': Mode;
  readonly 'default-deletion-protection': Protection;
}

const toEntries = (input: ProjectInput | undefined): Entries => ({
  name: input?.name ?? '',
  description: input?.description ?? '',
  'default-execution-mode': input?.['default-execution-mode'] ?? '',
  'default-deletion-protection': toProtection(input?.['default-deletion-protection'] ?? null),
});

const entriesOf = ({ data }: { readonly data: Project }): Entries => toEntries(toInput(data.attributes));

interface ProjectDialogProps {
  readonly edited?: Edited<{ readonly data: Project }>;
  readonly onClose: () => void;
}

/** Shows a dialog that creates a project or edits it. */
export const ProjectDialog = ({ edited, onClose }: ProjectDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const project = opened?.document.data;
  const [entries, setEntries] = useState(() => toEntries(project && toInput(project.attributes)));
  const { name, 'default-execution-mode': mode, 'default-deletion-protection': protection } = entries;
  const { field } = bindFields(entries, (changed) => setEntries({ ...entries, ...changed }));
  const navigate = useNavigate();
  const action = useDialogAction<{ readonly data: Project }>({
    invalidates: projectPaths(organization),
    message: project === undefined ? `Created the project ${name}.` : `Changed the project ${name}.`,
    ...(project === undefined && {
      leave: ({ document }) =>
        navigate({ to: '/$organization/projects/$project', params: { organization, project: document.data.id } }),
    }),
    onClose,
  });
  const { base, changes } = useRevision(opened, action.error, edited?.reload, (former, newest) =>
    setEntries((entered) => rebaseEntries(entered, entriesOf(former), entriesOf(newest))),
  );
  const before = base && toInput(base.document.data.attributes);
  const input: ProjectInput = {
    name,
    description: entries.description,
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
      <TextField {...field('name')} label="Name" autoFocus />
      <TextField {...field('description')} label="Description" isOptional />
      <SelectField<Mode>
        {...field('default-execution-mode')}
        label="Default execution mode"
        options={[
          inheritChoice(inherited?.['default-execution-mode']),
          ...defaultModes(before?.['default-execution-mode']),
        ]}
      />
      <SelectField<Protection>
        {...field('default-deletion-protection')}
        label={toLabel('default-deletion-protection')}
        hint={DEFAULT_PROTECTION_HINT}
        options={[inheritChoice(inheritedProtection), ...toOptions({ on: 'On', off: 'Off' })]}
      />
    </ActionDialog>
  );
};
