import { useState } from 'react';
import { createReservedTagKey, deleteReservedTagKey, listReservedTagKeys } from '../../api/integrations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { CheckboxField, TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/reserved-tag-keys`];

/** Lists the reserved tag keys of an organization, creates and deletes them. */
export const ReservedTagsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-manage-tags');
  return (
    <ResourceList
      title="Reserved tags"
      frame={Page}
      request={(page) => listReservedTagKeys(organization, page)}
      nameOf={({ attributes }) => attributes.key}
      emptyTitle="There are no reserved tag keys"
      emptyHint="With a reserved key, you decide whether workspaces may override the value of their project."
      columns={() => [
        { name: 'Key', cell: ({ attributes }) => <code>{toVisible(attributes.key)}</code> },
        {
          name: 'Workspaces may override its value',
          cell: ({ attributes }) => (attributes['disable-overrides'] ? 'no' : 'yes'),
        },
        { name: 'Created', cell: ({ attributes }) => <Time value={attributes.created_at} /> },
      ]}
      add={{
        label: 'New reserved tag key',
        disabledReason: missing,
        dialog: (onClose) => <CreateDialog organization={organization} onClose={onClose} />,
      }}
      deletion={{
        description: 'Tags with this key stay on workspaces and projects.',
        request: deleteReservedTagKey,
        invalidates: pathsOf(organization),
        disabledReason: () => missing,
      }}
    />
  );
};

const CreateDialog = ({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) => {
  const [key, setKey] = useState('');
  const [isFixed, setFixed] = useState(false);
  const action = useDialogAction({ invalidates: pathsOf(organization), message: `Created ${key}.`, onClose });
  return (
    <ActionDialog
      title="New reserved tag key"
      submitLabel="Create"
      action={action}
      request={createReservedTagKey(organization, key, isFixed)}
      fields={['key', 'disable-overrides']}
      required={{ Key: key }}
      onClose={onClose}
    >
      <TextField name="key" label="Key" value={key} onChange={setKey} autoFocus />
      <CheckboxField
        name="disable-overrides"
        label="Workspaces cannot override the value of their project"
        isChecked={isFixed}
        onChange={setFixed}
      />
    </ActionDialog>
  );
};
