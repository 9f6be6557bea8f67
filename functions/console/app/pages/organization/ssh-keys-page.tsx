import { useState } from 'react';
import { createSshKey, deleteSshKey, listSshKeys, renameSshKey } from '../../../../../shared/client/integrations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { renameAction } from './rename-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/ssh-keys`];

/** Lists the SSH keys of an organization, creates, renames and deletes them. */
export const SshKeysPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-update-ssh-keys');
  return (
    <ResourceList
      title="SSH keys"
      frame={Page}
      request={(page) => listSshKeys(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="There are no SSH keys"
      hint="With an SSH key, runs of a workspace fetch modules from private Git repositories."
      columns={() => ({ name: true, ID: { cell: ({ id }) => <code>{id}</code> } })}
      add={{
        label: 'New SSH key',
        disabledReason: missing,
        dialog: (onClose) => <CreateDialog organization={organization} onClose={onClose} />,
      }}
      actions={[renameAction({ kind: 'SSH key', request: renameSshKey, invalidates: pathsOf(organization), missing })]}
      deletion={{
        kind: 'SSH key',
        description: 'Workspaces that use it cannot fetch modules with it any more. The private key is destroyed.',
        request: deleteSshKey,
        invalidates: pathsOf(organization),
        disabledReason: () => missing,
        isNameTyped: true,
      }}
    />
  );
};

const CreateDialog = ({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) => {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const action = useDialogAction({
    invalidates: pathsOf(organization),
    message: `Created the SSH key ${name}.`,
    onClose,
  });
  return (
    <ActionDialog
      title="New SSH key"
      submitLabel="Create"
      action={action}
      request={createSshKey(organization, { name, value })}
      required={{ Name: name, 'Private key': value }}
      onClose={onClose}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} autoFocus />
      <TextField
        name="value"
        label="Private key"
        hint="It is stored encrypted. Nobody can read it here afterwards."
        value={value}
        onChange={setValue}
        lines={8}
        isCode
      />
    </ActionDialog>
  );
};
