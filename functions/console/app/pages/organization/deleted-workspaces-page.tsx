import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  deletedWorkspacesQuery,
  listDeletedWorkspaces,
  purgeWorkspace,
  restoreWorkspace,
} from '../../api/deleted-workspaces.ts';
import type { Schemas } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { missingPermission } from '../../lib/permissions.ts';

type DeletedWorkspace = Schemas['DeletedWorkspace'];

const route = getRouteApi('/signed-in/$organization/deleted-workspaces');

/** Lists the deleted workspaces of an organization, restores them, and deletes them permanently. */
export const DeletedWorkspacesPage = () => {
  const { organization } = route.useParams();
  const [page, setPage] = useState(1);
  const deleted = useQuery(deletedWorkspacesQuery(organization, page));
  const [restored, setRestored] = useState<DeletedWorkspace>();
  const [purged, setPurged] = useState<DeletedWorkspace>();
  return (
    <Page title="Deleted workspaces" actions={<Curl requests={[listDeletedWorkspaces(organization, page)]} />}>
      <Loaded query={deleted}>
        {({ document: { data, meta } }) =>
          data.length === 0 ? (
            <EmptyState title="No deleted workspace can be restored">
              <p className="muted">A deleted workspace stays here until its time is over.</p>
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Deleted workspaces"
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  { name: 'Workspace', cell: ({ attributes }) => attributes.name },
                  { name: 'Deleted', cell: ({ attributes }) => <Time value={attributes['deleted-at']} /> },
                  {
                    name: 'Can be restored until',
                    cell: ({ attributes }) => <Time value={attributes['restorable-until']} />,
                  },
                  {
                    name: 'Resources',
                    isNumber: true,
                    cell: ({ attributes }) => attributes['resource-count'].toLocaleString(),
                  },
                  { name: 'Tags', cell: ({ attributes }) => attributes['tag-names'].join(', ') },
                  {
                    name: 'Actions',
                    isNameHidden: true,
                    cell: (workspace) => (
                      <span className="row-actions">
                        <Button
                          aria-label={`Restore ${workspace.attributes.name}`}
                          disabledReason={missingPermission(workspace.attributes.permissions, 'can-restore')}
                          onClick={() => setRestored(workspace)}
                        >
                          Restore
                        </Button>
                        <Button
                          look="danger"
                          aria-label={`Delete ${workspace.attributes.name} permanently`}
                          disabledReason={missingPermission(workspace.attributes.permissions, 'can-destroy')}
                          onClick={() => setPurged(workspace)}
                        >
                          Delete permanently
                        </Button>
                      </span>
                    ),
                  },
                ]}
              />
              <Pages page={page} pageSize={20} total={meta.pagination['total-count']} onChange={setPage} />
            </>
          )
        }
      </Loaded>
      {restored !== undefined && (
        <RestoreDialog organization={organization} workspace={restored} onClose={() => setRestored(undefined)} />
      )}
      {purged !== undefined && (
        <PurgeDialog organization={organization} workspace={purged} onClose={() => setPurged(undefined)} />
      )}
    </Page>
  );
};

interface DialogProps {
  readonly organization: string;
  readonly workspace: DeletedWorkspace;
  readonly onClose: () => void;
}

const changedPaths = (organization: string): readonly string[] => [
  `/organizations/${organization}/deleted-workspaces`,
  `/organizations/${organization}/workspaces`,
];

const RestoreDialog = ({ organization, workspace, onClose }: DialogProps) => {
  const oldName = workspace.attributes.name;
  const [name, setName] = useState(oldName);
  const navigate = useNavigate();
  const action = useAction({
    invalidates: changedPaths(organization),
    onDone: async () => {
      toast(`Restored ${name}.`);
      await navigate({ to: '/$organization/workspaces/$workspace', params: { organization, workspace: name } });
    },
  });
  return (
    <ActionDialog
      title={`Restore ${oldName}`}
      description="It comes back unlocked, with its settings, tags, variables, states and access. Access of deleted teams is not restored."
      submitLabel="Restore"
      action={action}
      request={restoreWorkspace(workspace.id, name === oldName ? undefined : name)}
      fields={['name']}
      onClose={onClose}
    >
      <TextField
        name="name"
        label="Name"
        hint="Choose another name if a workspace has this one meanwhile."
        value={name}
        onChange={setName}
      />
    </ActionDialog>
  );
};

const PurgeDialog = ({ organization, workspace, onClose }: DialogProps) => {
  const { name } = workspace.attributes;
  const action = useAction({
    invalidates: changedPaths(organization),
    onDone: () => {
      toast(`Deleted ${name} permanently.`);
      onClose();
    },
  });
  return (
    <ActionDialog
      title={`Delete ${name} permanently`}
      description="Its states, variables and settings are destroyed now. Nobody can restore them afterwards."
      submitLabel="Delete permanently"
      isDangerous
      confirmName={name}
      action={action}
      request={purgeWorkspace(workspace.id)}
      onClose={onClose}
    />
  );
};
