import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import type { VariableSet } from '../../../../../shared/client/types.ts';
import {
  createVariableSet,
  deleteVariableSet,
  listVariableSets,
  updateVariableSet,
} from '../../../../../shared/client/variable-sets.ts';
import { variableSetQuery } from '../../api/variable-sets.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { changedEntries, rebaseEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { EditDialog, type Edited } from '../../components/edit-dialog.tsx';
import { bindFields, CheckboxField, TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';
import { AssignmentsDialog, SetVariablesDialog, scopeOf, variableSetPaths } from './variable-set-dialogs.tsx';

const route = getRouteApi('/signed-in/$organization/variable-sets');

/**
 * Lists the variable sets of an organization, changes them, their variables and what they apply to. A link to one of them
 * shows its variables.
 */
export const VariableSetsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-manage-varsets');
  const readOnly = ({ attributes }: VariableSet) => missingPermission(attributes.permissions, 'can-update');
  const { set: linked, workspace } = route.useSearch();
  const navigate = route.useNavigate();
  const linkedSet = useQuery({ ...variableSetQuery(linked ?? ''), enabled: linked !== undefined });
  const closeLinked = () => navigate({ search: {}, replace: true });
  const variablesOf = (set: VariableSet, onClose: () => void, backTo?: ReactNode) => (
    <SetVariablesDialog
      set={set}
      readOnly={readOnly(set)}
      paths={variableSetPaths(organization)}
      backTo={backTo}
      onClose={onClose}
    />
  );
  const backToWorkspace = workspace !== undefined && (
    <p>
      <Link to="/$organization/workspaces/$workspace/variables" params={{ organization, workspace }}>
        Back to the variables of {toVisible(workspace)}
      </Link>
    </p>
  );
  return (
    <>
      <ResourceList
        title="Variable sets"
        frame={Page}
        request={(page) => listVariableSets(organization, page)}
        nameOf={({ attributes }) => attributes.name}
        emptyTitle="There are no variable sets"
        columns={() => ({
          name: {
            cell: ({ attributes }) => (
              <>
                <span className="cluster">
                  {toVisible(attributes.name)}
                  {attributes.priority && <Badge kind="info">priority</Badge>}
                </span>
                {attributes.description && <div className="muted">{toVisible(attributes.description)}</div>}
              </>
            ),
          },
          global: { name: 'Applies to', cell: scopeOf },
          'var-count': { name: 'Variables', isNumber: true },
          // Shown with the name.
          description: false,
          priority: false,
          // Parts of what the set applies to.
          'workspace-count': false,
          'project-count': false,
          'created-at': false,
          'updated-at': false,
          permissions: false,
        })}
        add={{
          label: 'New variable set',
          disabledReason: missing,
          dialog: (onClose) => <SetDialog onClose={onClose} />,
        }}
        actions={[
          { label: 'Variables', dialog: (set, onClose) => variablesOf(set, onClose) },
          {
            label: 'Assignments',
            disabledReason: ({ attributes }) =>
              attributes.global ? 'A set that applies to all workspaces needs no assignments.' : undefined,
            dialog: (set, onClose) => (
              <AssignmentsDialog
                organization={organization}
                set={set}
                readOnly={readOnly(set)}
                paths={variableSetPaths(organization)}
                onClose={onClose}
              />
            ),
          },
          {
            label: 'Edit',
            disabledReason: (set) => readOnly(set),
            dialog: ({ id, attributes }, onClose) => (
              <EditDialog title={`Edit “${attributes.name}”`} query={variableSetQuery(id)} onClose={onClose}>
                {(edited) => <SetDialog edited={edited} onClose={onClose} />}
              </EditDialog>
            ),
          },
        ]}
        deletion={{
          kind: 'variable set',
          description: 'Its variables apply to no workspace any more. It cannot be restored.',
          request: deleteVariableSet,
          invalidates: variableSetPaths(organization),
          disabledReason: ({ attributes }) => missingPermission(attributes.permissions, 'can-destroy'),
          isNameTyped: true,
        }}
      />
      {linked !== undefined &&
        (isNotFound(linkedSet.error) ? (
          <Dialog title="Variable set not found" onClose={closeLinked}>
            <DialogBody>
              <p>It does not exist any more, or you may not see it.</p>
            </DialogBody>
          </Dialog>
        ) : (
          <Loaded query={linkedSet}>
            {({ document }) => variablesOf(document.data, closeLinked, backToWorkspace)}
          </Loaded>
        ))}
    </>
  );
};

interface SetDialogProps {
  readonly edited?: Edited<{ readonly data: VariableSet }>;
  readonly onClose: () => void;
}

const toInput = (set: VariableSet | undefined) => ({
  name: set?.attributes.name ?? '',
  description: set?.attributes.description ?? '',
  global: set?.attributes.global ?? false,
  priority: set?.attributes.priority ?? false,
});

const SetDialog = ({ edited, onClose }: SetDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const set = opened?.document.data;
  const [input, setInput] = useState(() => toInput(set));
  const { field, flag } = bindFields(input, (changes) => setInput({ ...input, ...changes }));
  const action = useDialogAction<unknown>({
    invalidates: variableSetPaths(organization),
    message: set === undefined ? `Created the variable set ${input.name}.` : `Changed the variable set ${input.name}.`,
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
        set === undefined ? createVariableSet(organization, input) : updateVariableSet(set.id, changed, base?.etag)
      }
      required={{ Name: input.name }}
      isUnchanged={set !== undefined && Object.keys(changed).length === 0}
      changes={changes}
      onClose={onClose}
    >
      <TextField {...field('name')} label="Name" autoFocus />
      <TextField {...field('description')} label="Description" isOptional />
      <CheckboxField
        {...flag('global')}
        label="Applies to all workspaces"
        hint="Otherwise assign projects and workspaces to it afterwards."
      />
      <CheckboxField
        {...flag('priority')}
        label="Priority"
        hint="Its variables override those of workspaces. Without priority, the variables of workspaces override them."
      />
    </ActionDialog>
  );
};
