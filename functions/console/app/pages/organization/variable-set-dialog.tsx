import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { VariableSet } from '../../../../../shared/client/types.ts';
import { createVariableSet, updateVariableSet } from '../../../../../shared/client/variable-sets.ts';
import type { WorkloadScope } from '../../../../../shared/client/workload-identities.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { changedEntries, rebaseEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import type { Edited } from '../../components/edit-dialog.tsx';
import { bindFields, CheckboxField, TextField } from '../../components/form.tsx';
import { formatCount } from '../../lib/words.ts';
import { noNames, ScopeFields, unfinishedName } from './scope-field.tsx';
import { useOrganizationName } from './use-organization.ts';

/** Paths whose data are out of date after a change of a variable set. */
export const variableSetPaths = (organization: string): readonly string[] => [
  `/organizations/${organization}/varsets`,
  '/varsets',
  '/workspaces',
];

/** Returns what a variable set applies to, such as "1 workspace, all workspaces of 2 projects". */
export const scopeOf = ({ attributes }: VariableSet): string => {
  if (attributes.global) return 'all workspaces';
  const { 'workspace-count': workspaces, 'project-count': projects } = attributes;
  const parts = [
    ...(workspaces > 0 ? [formatCount(workspaces, 'workspace')] : []),
    ...(projects > 0 ? [`all workspaces of ${formatCount(projects, 'project')}`] : []),
  ];
  return parts.join(', ') || 'no workspace yet';
};

interface VariableSetDialogProps {
  readonly edited?: Edited<{ readonly data: VariableSet }>;
  readonly onClose: () => void;
}

const toInput = (set: VariableSet | undefined) => ({
  name: set?.attributes.name ?? '',
  description: set?.attributes.description ?? '',
  global: set?.attributes.global ?? false,
  priority: set?.attributes.priority ?? false,
});

/** Shows a dialog that creates a variable set or edits it. */
export const VariableSetDialog = ({ edited, onClose }: VariableSetDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const set = opened?.document.data;
  const [input, setInput] = useState(() => toInput(set));
  const { field, flag } = bindFields(input, (changes) => setInput({ ...input, ...changes }));
  const [scope, setScope] = useState<WorkloadScope>({ projects: [], workspaces: [] });
  const [names, setNames] = useState(noNames);
  const navigate = useNavigate();
  const action = useDialogAction<{ readonly data: VariableSet }>({
    invalidates: variableSetPaths(organization),
    message: `${set === undefined ? 'Created' : 'Changed'} the variable set ${input.name}.`,
    ...(set === undefined && {
      leave: ({ document: { data } }) =>
        navigate({
          to: '/$organization/variable-sets/$variableSet',
          params: { organization, variableSet: data.id },
        }),
    }),
    onClose,
  });
  const { base, changes } = useRevision(opened, action.error, edited?.reload, ({ data: former }, { data: newest }) =>
    setInput((entered) => rebaseEntries(entered, toInput(former), toInput(newest))),
  );
  const changed = changedEntries(toInput(base?.document.data), input);
  return (
    <ActionDialog
      title={set === undefined ? 'New variable set' : `Edit “${set.attributes.name}”`}
      submitLabel={set === undefined ? 'Create' : 'Save'}
      action={action}
      request={
        set === undefined
          ? createVariableSet(organization, input, input.global ? {} : { assigned: scope })
          : updateVariableSet(set.id, changed, base?.etag)
      }
      required={{ Name: input.name }}
      disabledReason={input.global ? undefined : unfinishedName(names)}
      isUnchanged={set !== undefined && Object.keys(changed).length === 0}
      changes={changes}
      onClose={onClose}
    >
      <TextField {...field('name')} label="Name" autoFocus />
      <TextField {...field('description')} label="Description" isOptional />
      <CheckboxField
        {...flag('global')}
        label="Applies to all workspaces"
        hint="Otherwise, it applies to the workspaces and projects that are assigned to it."
      />
      {set === undefined && !input.global && (
        <ScopeFields scope={scope} onChange={setScope} names={names} onNamesChange={setNames} />
      )}
      <CheckboxField
        {...flag('priority')}
        label="Priority"
        hint="Its variables override those of workspaces. Without priority, the variables of workspaces override them."
      />
    </ActionDialog>
  );
};
