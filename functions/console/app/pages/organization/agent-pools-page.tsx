import { useState } from 'react';
import { compareAttributes } from '../../../../../shared/client/compare.ts';
import {
  createAgentPool,
  deleteAgentPool,
  listAgentPools,
  updateAgentPool,
} from '../../../../../shared/client/integrations.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { bindFields, CheckboxField, TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { ScopeLinks } from './scope-links.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/agent-pools`];

/** Lists the agent pools of an organization, creates, changes and deletes them. */
export const AgentPoolsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-update-agent-pools');
  return (
    <ResourceList
      title="Agent pools"
      frame={Page}
      request={(page) => listAgentPools(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="There are no agent pools"
      hint="An agent pool is a group of agents. Runs of a workspace with the execution mode Agent use one."
      columns={() => ({
        name: true,
        'agent-count': false,
        'organization-scoped': {
          name: 'Available to',
          cell: ({ attributes, relationships }) =>
            attributes['organization-scoped'] ? (
              'all workspaces'
            ) : (
              <ScopeLinks
                projects={relationships['allowed-projects'].data}
                workspaces={relationships['allowed-workspaces'].data}
              />
            ),
        },
        'created-at': true,
      })}
      add={{
        label: 'New agent pool',
        disabledReason: missing,
        dialog: (onClose) => <PoolDialog organization={organization} onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Edit',
          disabledReason: () => missing,
          dialog: (pool, onClose) => <PoolDialog organization={organization} pool={pool} onClose={onClose} />,
        },
      ]}
      deletion={{
        kind: 'agent pool',
        description: 'Workspaces and projects that use it must be changed first.',
        request: deleteAgentPool,
        invalidates: pathsOf(organization),
        disabledReason: () => missing,
      }}
    />
  );
};

const PoolDialog = ({
  organization,
  pool,
  onClose,
}: {
  readonly organization: string;
  readonly pool?: Schemas['AgentPool'];
  readonly onClose: () => void;
}) => {
  const stored = {
    name: pool?.attributes.name ?? '',
    'organization-scoped': pool?.attributes['organization-scoped'] ?? true,
  };
  const [input, setInput] = useState(stored);
  const { field, flag } = bindFields(input, (changes) => setInput({ ...input, ...changes }));
  const action = useDialogAction<unknown>({
    invalidates: pathsOf(organization),
    message: `${pool === undefined ? 'Created' : 'Changed'} the agent pool ${input.name}.`,
    onClose,
  });
  return (
    <ActionDialog
      title={pool === undefined ? 'New agent pool' : `Edit “${stored.name}”`}
      submitLabel={pool === undefined ? 'Create' : 'Save'}
      action={action}
      request={pool === undefined ? createAgentPool(organization, input) : updateAgentPool(pool.id, input)}
      required={{ Name: input.name }}
      isUnchanged={pool !== undefined && compareAttributes(stored, input).length === 0}
      onClose={onClose}
    >
      <TextField {...field('name')} label="Name" autoFocus />
      <CheckboxField
        {...flag('organization-scoped')}
        label="All workspaces may use it"
        hint="Otherwise, allow workspaces and projects with the API."
      />
    </ActionDialog>
  );
};
