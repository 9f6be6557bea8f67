import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Variable } from '../../../../../shared/client/types.ts';
import {
  findOthers,
  findWinner,
  toVariableRows,
  type VariableRow,
} from '../../../../../shared/client/variable-rows.ts';
import { deleteVariable, listVariables, listVariablesInForce } from '../../../../../shared/client/variables.ts';
import { applicableSetsQuery, variablesInForceQuery, variablesQuery, workspaceOwner } from '../../api/variables.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { DeleteDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Skeleton } from '../../components/loaded.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useVirtualRows, type VirtualColumn, VirtualTable } from '../../components/virtual-table.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { providerExample } from '../../lib/terraform-examples.ts';
import { categoryLabel, formatCount } from '../../lib/words.ts';
import { deletionTitle, VariableDialog, variableName } from '../variable-dialog.tsx';
import { VariableSetName } from '../variable-set-name.tsx';
import { IfPermitted } from './if-permitted.tsx';
import { useWorkspace } from './use-workspace.ts';
import './variables-page.css';
import { toVisible } from '../../components/visible-text.tsx';

/** Shows all definitions of the variables of a workspace, and which value wins. */
export const VariablesPage = () => (
  <IfPermitted permission="can-read-variable" name="the variables">
    <Variables />
  </IfPermitted>
);

const Variables = () => {
  const { organization, name, workspace } = useWorkspace();
  const own = useQuery(variablesQuery(workspace.id));
  const inForce = useQuery(variablesInForceQuery(workspace.id));
  const sets = useQuery(applicableSetsQuery(workspace.id));
  const [search, setSearch] = useState('');
  const [isAdding, setAdding] = useState(false);
  const readOnly = missingPermission(workspace.attributes.permissions, 'can-update-variable');

  const rows = useMemo(
    () =>
      own.data && inForce.data && sets.data
        ? toVariableRows(own.data.document, inForce.data.document, sets.data.document)
        : undefined,
    [own.data, inForce.data, sets.data],
  );
  const found = useMemo(() => {
    const text = search.trim().toLowerCase();
    return rows?.filter(
      ({ variable: { attributes }, variableSet }) =>
        attributes.key.toLowerCase().includes(text) ||
        (attributes.value ?? '').toLowerCase().includes(text) ||
        (variableSet?.attributes.name ?? '').toLowerCase().includes(text),
    );
  }, [rows, search]);
  const failed = [own, inForce, sets].find(({ error }) => error !== null);

  return (
    <div className="variables">
      <div className="cluster cluster-spread">
        {rows?.length !== 0 && (
          <div className="cluster">
            <SearchField
              label="Search variables"
              placeholder="Search by key or value"
              value={search}
              onChange={setSearch}
            />
            <span className="muted" role="status">
              {found !== undefined && formatCount(found.length, 'variable')}
            </span>
          </div>
        )}
        <div className="cluster variables-actions">
          <OptionsMenu
            of="the variables"
            requests={[listVariables(workspace.id), listVariablesInForce(workspace.id)]}
          />
          <Button look="primary" icon="plus" disabledReason={readOnly} onClick={() => setAdding(true)}>
            Add variable
          </Button>
        </div>
      </div>
      {failed !== undefined && <ErrorNotice error={failed.error} onRetry={failed.refetch} />}
      {found === undefined || rows === undefined ? (
        failed === undefined && <Skeleton lines={8} />
      ) : rows.length === 0 ? (
        <NoVariables workspaceId={workspace.id} workspace={name} organization={organization} />
      ) : (
        <>
          {rows.some(({ isInForce }) => !isInForce) && (
            <p className="muted">
              A variable set with priority overrides the workspace, and the workspace overrides all other variable sets.
            </p>
          )}
          <VariableTable rows={found} all={rows} readOnly={readOnly} />
        </>
      )}
      {isAdding && <VariableDialog owner={workspaceOwner(workspace.id)} onClose={() => setAdding(false)} />}
    </div>
  );
};

const VariableTable = ({
  rows,
  all,
  readOnly,
}: {
  readonly rows: readonly VariableRow[];
  /** Rows without the search. */
  readonly all: readonly VariableRow[];
  readonly readOnly: string | undefined;
}) => {
  const { workspace } = useWorkspace();
  const virtual = useVirtualRows(rows.length, '');
  const owner = workspaceOwner(workspace.id);
  const [edited, setEdited] = useState<VariableRow>();
  const [deleted, setDeleted] = useState<VariableRow>();
  // Variables of a variable set are changed on its page, to which its name leads.
  const actions = (row: VariableRow) => {
    if (row.variableSet !== undefined) return null;
    const name = variableName(row.variable);
    return (
      <span className="row-actions">
        <Button look="quiet" disabledReason={readOnly} onClick={() => setEdited(row)} aria-label={`Edit ${name}`}>
          Edit
        </Button>
        <Button
          look="quiet-danger"
          disabledReason={readOnly}
          onClick={() => setDeleted(row)}
          aria-label={`Delete ${name}`}
        >
          Delete
        </Button>
      </span>
    );
  };
  const key = ({ variable: { attributes } }: VariableRow) => (
    <div className="variable-key">
      <span className="clamped" title={attributes.key}>
        <code>{toVisible(attributes.key)}</code>
      </span>
      {attributes.description && (
        <div className="variable-description muted" title={attributes.description}>
          {toVisible(attributes.description)}
        </div>
      )}
    </div>
  );
  const value = (row: VariableRow) => (
    <div>
      <Value {...row} />
      {!row.isInForce && (
        <div className="overriding muted">
          <Badge>overridden</Badge> by <Origin variableSet={findWinner(all, row)?.variableSet} />
        </div>
      )}
    </div>
  );
  const columns: readonly VirtualColumn<VariableRow>[] = [
    { name: 'Key', className: 'column-key', isRowName: true, cell: key },
    { name: 'Value', className: 'column-value', cell: value },
    { name: 'Category', className: 'column-category', cell: ({ variable }) => <Category variable={variable} /> },
    { name: 'From', className: 'column-from', cell: (row) => <Origin {...row} /> },
    {
      name: 'Actions',
      className: 'column-actions',
      heading: <span className="visually-hidden">Actions</span>,
      cell: actions,
    },
  ];
  return (
    <>
      <VirtualTable
        label="Variables"
        className="variable-table"
        rows={virtual}
        columns={columns}
        rowAt={(index) => rows[index]}
        card={(row) => (
          <div className="card-content">
            {key(row)}
            {value(row)}
            <div className="muted">
              <Category variable={row.variable} /> · from <Origin {...row} />
            </div>
            {actions(row)}
          </div>
        )}
      />
      {edited !== undefined && (
        <VariableDialog
          owner={owner}
          variable={edited.variable}
          {...(!edited.isInForce && { warning: <Overridden winner={findWinner(all, edited)} /> })}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted !== undefined && (
        <DeleteVariableDialog
          deleted={deleted}
          others={findOthers(all, deleted)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
};

interface DeleteVariableDialogProps {
  readonly deleted: VariableRow;
  /** Definitions of the variable by variable sets. */
  readonly others: readonly VariableRow[];
  readonly onClose: () => void;
}

const DeleteVariableDialog = ({ deleted: { variable }, others, onClose }: DeleteVariableDialogProps) => {
  const owner = workspaceOwner(useWorkspace().workspace.id);
  const { key, sensitive } = variable.attributes;
  const [other] = others;
  const successor =
    others.length === 1 ? `the variable set “${other?.variableSet?.attributes.name}”` : 'one of the variable sets';
  return (
    <DeleteDialog
      shown={variable.attributes}
      title={deletionTitle(variable)}
      description={[
        ...(sensitive ? ['Its value cannot be read and is lost.'] : []),
        other === undefined ? 'Runs do not receive it any more.' : `Runs receive the value of ${successor} then.`,
      ].join(' ')}
      submitLabel="Delete"
      request={deleteVariable(owner, variable.id)}
      invalidates={owner.paths}
      message={`Deleted the variable ${key}.`}
      onClose={onClose}
    />
  );
};

/** Longest part of a value that the table shows. */
const SHOWN_LENGTH = 200;

const Value = ({ variable: { attributes }, isInForce }: VariableRow) => {
  if (attributes['value-reference'] !== null) return <code>{attributes['value-reference']}</code>;
  if (attributes.sensitive) return <Badge>sensitive</Badge>;
  const value = attributes.value ?? '';
  if (value === '') return <span className="muted">empty</span>;
  const shown = value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value;
  return (
    <span className="clamped">
      <code className={isInForce ? undefined : 'overridden'}>{toVisible(shown)}</code>
    </span>
  );
};

const Category = ({ variable: { attributes } }: { readonly variable: Variable }) => (
  <>
    {categoryLabel(attributes.category)} {attributes.hcl && <Badge>HCL</Badge>}
  </>
);

const Origin = ({ variableSet }: Pick<VariableRow, 'variableSet'>) =>
  variableSet === undefined ? 'this workspace' : <VariableSetName variableSet={variableSet} />;

/** Says what overrides a value of the workspace. */
const Overridden = ({ winner }: { readonly winner: VariableRow | undefined }) => (
  <p>
    Runs receive the value of{' '}
    {winner?.variableSet === undefined ? (
      'a variable set'
    ) : (
      <>the variable set “{toVisible(winner.variableSet.attributes.name)}”</>
    )}
    , which has priority, in place of this one.
  </p>
);

const NoVariables = ({
  workspaceId,
  workspace,
  organization,
}: {
  readonly workspaceId: string;
  readonly workspace: string;
  readonly organization: string;
}) => (
  <EmptyState
    title="There are no variables yet"
    examples={[
      {
        label: 'curl',
        code: `curl -sS \\\n  -H "Authorization: Bearer $HOLDFAST_TOKEN" \\\n  -H 'Content-Type: application/vnd.api+json' \\\n  ${window.location.origin}/api/v2/workspaces/${workspaceId}/vars \\\n  -d '{"data":{"type":"vars","attributes":{"key":"region","value":"eu-central-1","category":"terraform"}}}'`,
      },
      {
        label: 'Terraform provider tfe',
        code: `${providerExample(organization)}data "tfe_workspace" "this" {\n  name = "${workspace}"\n}\n\nresource "tfe_variable" "region" {\n  workspace_id = data.tfe_workspace.this.id\n  key          = "region"\n  value        = "eu-central-1"\n  category     = "terraform"\n}`,
      },
    ]}
  >
    <p className="muted">Variables of the workspace, and of variable sets that apply to it, appear here.</p>
  </EmptyState>
);
