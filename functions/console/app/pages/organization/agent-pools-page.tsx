import { useState } from 'react';
import { createAgentPool, deleteAgentPool, listAgentPools } from '../../api/integrations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { CheckboxField, TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { Time } from '../../components/time.tsx';
import { formatCount } from '../../lib/words.ts';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/agent-pools`];

/** Lists the agent pools of an organization, creates and deletes them. */
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
      emptyHint="An agent pool is a group of agents. Runs of a workspace with the execution mode Agent use one."
      columns={() => [
        { name: 'Name', cell: ({ attributes }) => attributes.name },
        {
          name: 'For',
          cell: ({ attributes, relationships }) =>
            attributes['organization-scoped']
              ? 'all workspaces'
              : `${formatCount(relationships['allowed-workspaces'].data.length, 'workspace')}, ${formatCount(relationships['allowed-projects'].data.length, 'project')}`,
        },
        { name: 'Created', cell: ({ attributes }) => <Time value={attributes['created-at']} /> },
      ]}
      add={{
        label: 'New agent pool',
        disabledReason: missing,
        dialog: (onClose) => <CreateDialog organization={organization} onClose={onClose} />,
      }}
      deletion={{
        description: 'Workspaces and projects that use it must be changed first.',
        request: deleteAgentPool,
        invalidates: pathsOf(organization),
        disabledReason: () => missing,
      }}
    />
  );
};

const CreateDialog = ({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) => {
  const [name, setName] = useState('');
  const [isForAll, setForAll] = useState(true);
  const action = useDialogAction({ invalidates: pathsOf(organization), message: `Created ${name}.`, onClose });
  return (
    <ActionDialog
      title="New agent pool"
      submitLabel="Create"
      action={action}
      request={createAgentPool(organization, name, isForAll)}
      fields={['name', 'organization-scoped']}
      required={{ Name: name }}
      onClose={onClose}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} autoFocus />
      <CheckboxField
        name="organization-scoped"
        label="All workspaces may use it"
        hint="Otherwise, allow workspaces and projects with the API."
        isChecked={isForAll}
        onChange={setForAll}
      />
    </ActionDialog>
  );
};
