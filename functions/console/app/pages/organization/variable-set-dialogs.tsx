import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { VariableSet } from '../../../../../shared/client/types.ts';
import { type AssignmentKind, changeAssignment, showVariableSet } from '../../../../../shared/client/variable-sets.ts';
import { deleteVariable, listSetVariables } from '../../../../../shared/client/variables.ts';
import { projectsQuery } from '../../api/organizations.ts';
import { variableSetQuery } from '../../api/variable-sets.ts';
import type { EditedOwner } from '../../api/variables.ts';
import { workspacePageQuery } from '../../api/workspaces.ts';
import { actionColumn } from '../../components/action-column.tsx';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, DeleteDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { DisabledReasons } from '../../components/disabled-reasons.tsx';
import { TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { categoryLabel, formatCount } from '../../lib/words.ts';
import { deletionTitle, inVariableSet, VariableDialog, variableName } from '../variable-dialog.tsx';

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

/** Says to what a variable set applies, and whether its values override the values of workspaces. */
const reachOf = (set: VariableSet): string =>
  [
    `The variable set “${set.attributes.name}” applies to ${set.attributes.global ? 'all workspaces of the organization' : scopeOf(set).replace(', ', ' and ')}.`,
    set.attributes.priority
      ? 'It has priority: its values override those of workspaces.'
      : 'A variable of a workspace overrides its value.',
  ].join(' ');

/** Kinds of assignments in words. */
const kindLabels = { workspaces: 'workspace', projects: 'project' } as const;

interface SetDialogProps {
  readonly set: VariableSet;
  /** Reason why the user may not change the set. */
  readonly readOnly: string | undefined;
  readonly paths: readonly string[];
  readonly onClose: () => void;
}

/**
 * Lists the variables of a set, adds, changes and deletes them.
 * @param backTo link to the page from which the user has come
 */
export const SetVariablesDialog = ({
  set,
  readOnly,
  paths,
  backTo,
  onClose,
}: SetDialogProps & { readonly backTo?: ReactNode }) => {
  const reach = reachOf(set);
  const owner: EditedOwner = {
    type: 'varsets',
    id: set.id,
    variableSet: { name: set.attributes.name, reach },
    paths,
  };
  return (
    <Dialog title={`Variables of “${set.attributes.name}”`} description={reach} size="medium" onClose={onClose}>
      <DialogBody>
        {backTo}
        <ResourceList
          title="Variables"
          request={(page) => listSetVariables(set.id, page)}
          nameOf={(variable) => variableName(variable)}
          emptyTitle="The set has no variables"
          columns={() => ({
            key: {
              cell: ({ attributes }) => (
                <>
                  <code>{toVisible(attributes.key)}</code>
                  {attributes.description && <div className="muted">{toVisible(attributes.description)}</div>}
                </>
              ),
            },
            value: {
              cell: ({ attributes }) =>
                attributes.sensitive ? (
                  <Badge kind="warning">sensitive</Badge>
                ) : (
                  <code>{toVisible(attributes['value-reference'] ?? attributes.value)}</code>
                ),
            },
            category: { cell: ({ attributes }) => categoryLabel(attributes.category) },
            // Shown below the key.
            description: false,
            // Shown as the value.
            'value-reference': false,
            sensitive: false,
            hcl: false,
            'created-at': false,
            'version-id': false,
          })}
          add={{
            label: 'Add variable',
            disabledReason: readOnly,
            dialog: (close) => <VariableDialog owner={owner} onClose={close} />,
          }}
          actions={[
            {
              label: 'Edit',
              disabledReason: () => readOnly,
              dialog: (variable, close) => <VariableDialog owner={owner} variable={variable} onClose={close} />,
            },
            {
              label: 'Delete',
              isDangerous: true,
              disabledReason: () => readOnly,
              dialog: (variable, close) => (
                <DeleteDialog
                  shown={variable.attributes}
                  title={deletionTitle(variable)}
                  description={`${reach} Workspaces to which it applies lose this value.`}
                  submitLabel="Delete"
                  request={deleteVariable(owner, variable.id)}
                  invalidates={paths}
                  message={`Deleted the variable ${variable.attributes.key}${inVariableSet(owner, 'from')}.`}
                  onClose={close}
                />
              ),
            },
          ]}
        />
      </DialogBody>
    </Dialog>
  );
};

interface Assignment {
  readonly kind: AssignmentKind;
  readonly id: string;
  readonly name: string;
}

/** Shows the workspaces and projects to which a variable set applies, and changes them. */
export const AssignmentsDialog = ({
  organization,
  set,
  readOnly,
  paths,
  onClose,
}: SetDialogProps & { readonly organization: string }) => {
  const query = useQuery(variableSetQuery(set.id));
  const [added, setAdded] = useState<AssignmentKind>();
  const [removed, setRemoved] = useState<Assignment>();
  return (
    <Dialog title={`Assignments of “${set.attributes.name}”`} size="medium" onClose={onClose}>
      <DialogBody>
        <div className="cluster cluster-end">
          <Curl requests={[showVariableSet(set.id)]} />
          <Button icon="plus" disabledReason={readOnly} onClick={() => setAdded('workspaces')}>
            Add workspace
          </Button>
          <Button icon="plus" disabledReason={readOnly} onClick={() => setAdded('projects')}>
            Add project
          </Button>
        </div>
        <DisabledReasons actions={[['Add workspace, Add project, Remove', readOnly]]} />
        <Loaded query={query}>
          {({ document: { data, included = [] } }) => {
            const nameOf = (id: string) => {
              const found = included.find((resource) => resource.id === id);
              return found !== undefined && 'name' in found.attributes ? String(found.attributes.name) : id;
            };
            const rows = (['projects', 'workspaces'] as const).flatMap((kind): readonly Assignment[] =>
              data.relationships[kind].data.map(({ id }) => ({ kind, id, name: nameOf(id) })),
            );
            return rows.length === 0 ? (
              <p className="muted">It applies to nothing yet.</p>
            ) : (
              <DataTable
                label="Assignments"
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  { name: 'Name', cell: ({ kind, id, name }) => <ResourceLink type={kind} id={id} name={name} /> },
                  { name: 'Kind', cell: ({ kind }) => kindLabels[kind] },
                  actionColumn(
                    ({ name }: Assignment) => name,
                    [{ label: 'Remove', isDangerous: true, disabledReason: () => readOnly, onClick: setRemoved }],
                  ),
                ]}
              />
            );
          }}
        </Loaded>
        {added !== undefined && (
          <AddAssignmentDialog
            organization={organization}
            set={set}
            kind={added}
            paths={paths}
            onClose={() => setAdded(undefined)}
          />
        )}
        {removed !== undefined && (
          <ConfirmDialog
            title={`Remove “${removed.name}”`}
            description="The variables of the set do not apply there any more."
            submitLabel="Remove"
            request={changeAssignment(set.id, removed.kind, removed.id, false)}
            invalidates={paths}
            message={`Removed the ${kindLabels[removed.kind]} ${removed.name} from the variable set ${set.attributes.name}.`}
            onClose={() => setRemoved(undefined)}
          />
        )}
      </DialogBody>
    </Dialog>
  );
};

const AddAssignmentDialog = ({
  organization,
  set,
  kind,
  paths,
  onClose,
}: Omit<SetDialogProps, 'readOnly'> & { readonly organization: string; readonly kind: AssignmentKind }) => {
  const [name, setName] = useState('');
  const search = useDebounced(name);
  const workspaces = useQuery({
    ...workspacePageQuery(organization, { 'search[name]': search }, 1),
    enabled: kind === 'workspaces',
    placeholderData: keepPreviousData,
  });
  const projects = useQuery({ ...projectsQuery(organization, search), enabled: kind === 'projects' });
  const candidates =
    kind === 'workspaces'
      ? (workspaces.data?.rows ?? []).map(({ workspace }) => workspace)
      : (projects.data?.document.data ?? []);
  const chosen = candidates.find(({ attributes }) => attributes.name === name.trim());
  const label = kind === 'workspaces' ? 'Workspace' : 'Project';
  const action = useDialogAction({
    invalidates: paths,
    message: `Added the ${kindLabels[kind]} ${name.trim()} to the variable set ${set.attributes.name}.`,
    onClose,
  });
  return (
    <ActionDialog
      title={`Add a ${kindLabels[kind]} to “${set.attributes.name}”`}
      submitLabel="Add"
      action={action}
      request={changeAssignment(set.id, kind, chosen?.id ?? '', true)}
      disabledReason={chosen === undefined ? `Type the name of a ${kindLabels[kind]} that you can see.` : undefined}
      onClose={onClose}
    >
      <TextField
        name="data"
        label={label}
        value={name}
        onChange={setName}
        suggestions={candidates.map(({ attributes }) => attributes.name)}
        autoFocus
      />
    </ActionDialog>
  );
};
