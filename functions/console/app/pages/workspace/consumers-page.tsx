import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  addConsumers,
  CONSUMERS_PAGE_SIZE,
  listConsumers,
  removeConsumers,
} from '../../../../../shared/client/consumers.ts';
import type { Workspace } from '../../../../../shared/client/types.ts';
import { consumersQuery } from '../../api/consumers.ts';
import { workspacePageQuery } from '../../api/workspaces.ts';
import { actionColumn } from '../../components/action-column.tsx';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/form.tsx';
import { ListMenu } from '../../components/list-menu.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { toLabel } from '../../lib/words.ts';
import { ConsumerGraph } from './consumer-graph.tsx';
import { ReadableWorkspacesSection, useReadableWorkspaces } from './readable-workspaces.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Shows which workspaces may read the state of a workspace in their runs and the other way round, and changes the former. */
export const ConsumersPage = () => {
  // Another workspace gets a page and a search of its own.
  const { workspace } = useWorkspace();
  return <Consumers key={workspace.id} />;
};

const Consumers = () => {
  const { organization, name, workspace } = useWorkspace();
  const { permissions, 'global-remote-state': isGlobal, 'project-remote-state': isProject } = workspace.attributes;
  const [page, setPage] = useState(1);
  const consumers = useQuery(consumersQuery(workspace.id, page));
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Workspace>();
  const shared = isGlobal || isProject ? 'The settings of the workspace share its state already.' : undefined;
  const missing = missingPermission(permissions, 'can-update');
  const reason = missing ?? shared;
  const readable = useReadableWorkspaces(organization, workspace);
  const sources = readable.shown.map((source) => source.workspace);
  const onThisPage = consumers.data?.document.data ?? [];
  return (
    <div className="stack">
      <Section
        title="Remote state consumers"
        description="Workspaces whose runs may read the state of this one."
        actions={
          <>
            <ListMenu title="Remote state consumers" request={listConsumers(workspace.id, page)} />
            <Button look="primary" icon="plus" disabledReason={reason} onClick={() => setAdding(true)}>
              Add consumer
            </Button>
          </>
        }
      >
        {shared !== undefined && (
          <Notice
            kind="info"
            title={
              isGlobal ? 'All workspaces of the organization may read it' : 'All workspaces of the project may read it'
            }
          />
        )}
        <Loaded query={consumers}>
          {({ document: { data, meta } }) =>
            data.length === 0 ? (
              <EmptyState
                title={shared === undefined ? 'No other workspace may read the state' : 'No workspace has been added'}
              >
                <p className="muted">
                  {shared === undefined
                    ? 'Add the workspaces whose runs need its outputs.'
                    : 'The list has no effect while the settings share the state.'}
                </p>
              </EmptyState>
            ) : (
              <>
                <DataTable
                  label="Consumers"
                  rows={data}
                  rowKey={({ id }) => id}
                  columns={[
                    {
                      name: 'Workspace',
                      cell: ({ attributes }) => (
                        <Link
                          to="/$organization/workspaces/$workspace/consumers"
                          params={{ organization, workspace: attributes.name }}
                        >
                          {attributes.name}
                        </Link>
                      ),
                    },
                    {
                      name: toLabel('resource-count'),
                      isNumber: true,
                      cell: ({ attributes }) => attributes['resource-count'].toLocaleString(),
                    },
                    actionColumn(
                      ({ attributes }: Workspace) => attributes.name,
                      [{ label: 'Remove', isDangerous: true, disabledReason: () => reason, onClick: setRemoved }],
                    ),
                  ]}
                />
                <Pages
                  page={page}
                  pageSize={CONSUMERS_PAGE_SIZE}
                  total={meta.pagination['total-count']}
                  onChange={setPage}
                />
              </>
            )
          }
        </Loaded>
        {isAdding && <AddDialog onClose={() => setAdding(false)} />}
        {removed !== undefined && <RemoveDialog consumer={removed} onClose={() => setRemoved(undefined)} />}
      </Section>
      <ReadableWorkspacesSection {...readable} />
      {onThisPage.length + sources.length > 0 && <ConsumerGraph name={name} sources={sources} consumers={onThisPage} />}
    </div>
  );
};

const useConsumersAction = (message: string, onClose: () => void) => {
  const { workspace } = useWorkspace();
  return useDialogAction({ invalidates: [`/workspaces/${workspace.id}`], message, onClose });
};

const AddDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { organization, workspace } = useWorkspace();
  const [name, setName] = useState('');
  const found = useQuery({
    ...workspacePageQuery(organization, { 'search[name]': useDebounced(name) }, 1),
    placeholderData: keepPreviousData,
  });
  const rows = found.data?.rows ?? [];
  const chosen = rows.find((row) => row.workspace.attributes.name === name.trim())?.workspace;
  const action = useConsumersAction(`Added the consumer ${name.trim()}.`, onClose);
  return (
    <ActionDialog
      title="Add a consumer"
      description="Its runs may read the whole state of this workspace."
      submitLabel="Add"
      action={action}
      request={addConsumers(workspace.id, chosen === undefined ? [] : [chosen.id])}
      disabledReason={chosen === undefined ? 'Type the name of a workspace that you can see.' : undefined}
      onClose={onClose}
    >
      <TextField
        name="data"
        label="Workspace"
        value={name}
        onChange={setName}
        suggestions={rows.map((row) => row.workspace.attributes.name)}
        autoFocus
      />
    </ActionDialog>
  );
};

const RemoveDialog = ({ consumer, onClose }: { readonly consumer: Workspace; readonly onClose: () => void }) => {
  const { name, workspace } = useWorkspace();
  const action = useConsumersAction(`Removed the consumer ${consumer.attributes.name}.`, onClose);
  return (
    <ActionDialog
      title={`Remove “${consumer.attributes.name}”`}
      description={`Its runs cannot read the state of “${name}” any more.`}
      submitLabel="Remove"
      isDangerous
      action={action}
      request={removeConsumers(workspace.id, [consumer.id])}
      onClose={onClose}
    />
  );
};
