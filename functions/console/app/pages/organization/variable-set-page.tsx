import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import type { VariableSet } from '../../../../../shared/client/types.ts';
import {
  type AssignmentKind,
  changeAssignment,
  deleteVariableSet,
  showVariableSet,
  type VariableSetDocument,
} from '../../../../../shared/client/variable-sets.ts';
import { deleteVariable, listSetVariables } from '../../../../../shared/client/variables.ts';
import { projectQuery } from '../../api/projects.ts';
import { apiQuery } from '../../api/query-client.ts';
import type { EditedOwner } from '../../api/variables.ts';
import { actionColumn } from '../../components/action-column.tsx';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, DeleteDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EditDialog } from '../../components/edit-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { variableSetActions } from '../../lib/history-actions.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { useRecentPage } from '../../lib/recent-pages.ts';
import { categoryLabel, toLabel } from '../../lib/words.ts';
import { useCandidates } from '../use-candidates.ts';
import { deletionTitle, inVariableSet, VariableDialog, variableName } from '../variable-dialog.tsx';
import { scopeOf, VariableSetDialog, variableSetPaths } from './variable-set-dialog.tsx';

const route = getRouteApi('/signed-in/$organization/variable-sets/$variableSet');

/** Shows a variable set: its variables, what it applies to, and its settings. */
export const VariableSetPage = () => {
  const { organization, variableSet: id } = route.useParams();
  const set = useQuery(apiQuery(showVariableSet(id)));
  if (isNotFound(set.error)) {
    return <NotFound kind="Variable set" list={<ListLink organization={organization} label="all variable sets" />} />;
  }
  return <Loaded query={set}>{({ document }) => <Content organization={organization} document={document} />}</Loaded>;
};

const ListLink = ({ organization, label }: { readonly organization: string; readonly label: string }) => (
  <Link to="/$organization/variable-sets" params={{ organization }}>
    {label}
  </Link>
);

interface ContentProps {
  readonly organization: string;
  readonly document: VariableSetDocument;
}

interface SetProps {
  readonly organization: string;
  readonly set: VariableSet;
}

const Content = ({ organization, document }: ContentProps) => {
  const set = document.data;
  const { id, attributes } = set;
  const { name, permissions } = attributes;
  useRecentPage([organization, 'variable-sets', id], name);
  const navigate = useNavigate();
  const request = showVariableSet(id);
  const readOnly = missingPermission(permissions, 'can-update');
  return (
    <ResourcePage
      organization={organization}
      title={name}
      list={<ListLink organization={organization} label="Variable sets" />}
      badges={attributes.priority && <Badge kind="info">priority</Badge>}
      request={request}
      changes={{ text: id, action: variableSetActions }}
      actions={[
        {
          label: 'Delete',
          isDangerous: true,
          disabledReason: missingPermission(permissions, 'can-destroy'),
          dialog: (onClose) => (
            <DeleteDialog
              shown={attributes}
              title={`Delete “${name}”`}
              description="Its variables apply to no workspace any more. It cannot be restored."
              submitLabel="Delete"
              confirmName={name}
              request={deleteVariableSet(id)}
              invalidates={variableSetPaths(organization).filter((path) => path !== '/varsets')}
              message={`Deleted the variable set ${name}.`}
              leave={() => navigate({ to: '/$organization/variable-sets', params: { organization } })}
              onClose={onClose}
            />
          ),
        },
        {
          label: 'Edit',
          disabledReason: readOnly,
          dialog: (onClose) => (
            <EditDialog title={`Edit “${name}”`} query={apiQuery(request)} onClose={onClose}>
              {(edited) => <VariableSetDialog edited={edited} onClose={onClose} />}
            </EditDialog>
          ),
        },
      ]}
      description={attributes.description && <p>{toVisible(attributes.description)}</p>}
      facts={<Settings organization={organization} set={set} />}
    >
      <Variables organization={organization} set={set} readOnly={readOnly} />
      <Assignments organization={organization} document={document} readOnly={readOnly} />
    </ResourcePage>
  );
};

const Settings = ({ set: { id, attributes, relationships } }: SetProps) => {
  const owner = relationships.parent.data;
  const isProject = owner.type === 'projects';
  const project = useQuery({ ...projectQuery(owner.id), enabled: isProject }).data?.document.data;
  return (
    <Section title="Settings">
      <Facts
        facts={[
          ['Priority', attributes.priority ? 'yes, its values override those of workspaces' : 'no'],
          [
            'Owner',
            isProject ? (
              <ResourceLink key="owner" type="projects" id={owner.id} name={project?.attributes.name ?? owner.id} />
            ) : (
              'the organization'
            ),
          ],
          [toLabel('created-at'), <Time key="created" value={attributes['created-at']} />],
          [toLabel('updated-at'), <Time key="updated" value={attributes['updated-at']} />],
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
    </Section>
  );
};

/** Says to what a variable set applies, and whether its values override the values of workspaces. */
const reachOf = (set: VariableSet): string =>
  [
    `The variable set “${set.attributes.name}” applies to ${set.attributes.global ? 'all workspaces of the organization' : scopeOf(set).replace(', ', ' and ')}.`,
    set.attributes.priority
      ? 'It has priority: its values override those of workspaces.'
      : 'A variable of a workspace overrides its value.',
  ].join(' ');

interface ReadOnlyProps {
  /** Reason why the user may not change the set. */
  readonly readOnly: string | undefined;
}

/** Lists the variables of a set, adds, changes and deletes them. */
const Variables = ({ organization, set, readOnly }: SetProps & ReadOnlyProps) => {
  const reach = reachOf(set);
  const paths = variableSetPaths(organization);
  const owner: EditedOwner = {
    type: 'varsets',
    id: set.id,
    variableSet: { name: set.attributes.name, reach },
    paths,
  };
  return (
    <ResourceList
      title="Variables"
      frame={Section}
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
              <Badge>sensitive</Badge>
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
        dialog: (onClose) => <VariableDialog owner={owner} onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Edit',
          disabledReason: () => readOnly,
          dialog: (variable, onClose) => <VariableDialog owner={owner} variable={variable} onClose={onClose} />,
        },
        {
          label: 'Delete',
          isDangerous: true,
          disabledReason: () => readOnly,
          dialog: (variable, onClose) => (
            <DeleteDialog
              shown={variable.attributes}
              title={deletionTitle(variable)}
              description={`${reach} Workspaces to which it applies lose this value.`}
              submitLabel="Delete"
              request={deleteVariable(owner, variable.id)}
              invalidates={paths}
              message={`Deleted the variable ${variable.attributes.key}${inVariableSet(owner, 'from')}.`}
              onClose={onClose}
            />
          ),
        },
      ]}
    />
  );
};

/** Kinds of assignments in words. */
const kindLabels = { workspaces: 'workspace', projects: 'project' } as const;

interface Assignment {
  readonly kind: AssignmentKind;
  readonly id: string;
  readonly name: string;
}

const assignmentsOf = (document: VariableSetDocument): readonly Assignment[] => {
  const { projects, workspaces } = document.data.relationships;
  return [
    ...projects.data.map(({ id }) => ({
      kind: 'projects' as const,
      id,
      name: findIncluded(document, 'projects', { id })?.attributes.name ?? id,
    })),
    ...workspaces.data.map(({ id }) => ({
      kind: 'workspaces' as const,
      id,
      name: findIncluded(document, 'workspaces', { id })?.attributes.name ?? id,
    })),
  ];
};

/** Shows the workspaces and projects to which a variable set applies, and changes them. */
const Assignments = ({ organization, document, readOnly }: ContentProps & ReadOnlyProps) => {
  const set = document.data;
  const { global: isGlobal, name } = set.attributes;
  const [added, setAdded] = useState<AssignmentKind>();
  const [removed, setRemoved] = useState<Assignment>();
  if (isGlobal) {
    return (
      <Section title="Applies to">
        <p>{reachOf(set)}</p>
      </Section>
    );
  }
  const rows = assignmentsOf(document);
  return (
    <Section
      title="Applies to"
      description="An assigned project passes it on to all of its workspaces."
      actions={
        <>
          <Button icon="plus" disabledReason={readOnly} onClick={() => setAdded('workspaces')}>
            Add workspace
          </Button>
          <Button icon="plus" disabledReason={readOnly} onClick={() => setAdded('projects')}>
            Add project
          </Button>
        </>
      }
    >
      {rows.length === 0 ? (
        <EmptyState title="It applies to nothing yet" />
      ) : (
        <DataTable
          label="Applies to"
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
      )}
      {added !== undefined && (
        <AddAssignmentDialog organization={organization} set={set} kind={added} onClose={() => setAdded(undefined)} />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title={`Remove “${removed.name}”`}
          description="The variables of the set do not apply there any more."
          submitLabel="Remove"
          request={changeAssignment(set.id, removed.kind, removed.id, false)}
          invalidates={variableSetPaths(organization)}
          message={`Removed the ${kindLabels[removed.kind]} ${removed.name} from the variable set ${name}.`}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Section>
  );
};

const AddAssignmentDialog = ({
  organization,
  set,
  kind,
  onClose,
}: SetProps & { readonly kind: AssignmentKind; readonly onClose: () => void }) => {
  const [name, setName] = useState('');
  const candidates = useCandidates(kind, organization, name);
  const chosen = candidates.find(({ attributes }) => attributes.name === name.trim());
  const label = kind === 'workspaces' ? 'Workspace' : 'Project';
  const action = useDialogAction({
    invalidates: variableSetPaths(organization),
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
