import { useState } from 'react';
import { compareAttributes } from '../../../../../shared/client/compare.ts';
import {
  createReservedTagKey,
  deleteReservedTagKey,
  listReservedTagKeys,
  updateReservedTagKey,
} from '../../../../../shared/client/integrations.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { bindFields, CheckboxField, TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { toLabel } from '../../lib/words.ts';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/reserved-tag-keys`];

/** Lists the reserved tag keys of an organization, creates, changes and deletes them. */
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
      hint="With a reserved key, you decide whether workspaces may override the value of their project."
      columns={() => ({
        key: { cell: ({ attributes }) => <code>{toVisible(attributes.key)}</code> },
        'disable-overrides': true,
        created_at: true,
        updated_at: false,
      })}
      add={{
        label: 'New reserved tag key',
        disabledReason: missing,
        dialog: (onClose) => <KeyDialog organization={organization} onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Edit',
          disabledReason: () => missing,
          dialog: (reserved, onClose) => (
            <KeyDialog organization={organization} reserved={reserved} onClose={onClose} />
          ),
        },
      ]}
      deletion={{
        kind: 'reserved tag key',
        description: 'Tags with this key stay on workspaces and projects.',
        request: deleteReservedTagKey,
        isRead: false,
        invalidates: pathsOf(organization),
        disabledReason: () => missing,
      }}
    />
  );
};

const KeyDialog = ({
  organization,
  reserved,
  onClose,
}: {
  readonly organization: string;
  readonly reserved?: Schemas['ReservedTagKey'];
  readonly onClose: () => void;
}) => {
  const stored = {
    key: reserved?.attributes.key ?? '',
    'disable-overrides': reserved?.attributes['disable-overrides'] ?? false,
  };
  const [input, setInput] = useState(stored);
  const { field, flag } = bindFields(input, (changes) => setInput({ ...input, ...changes }));
  const action = useDialogAction<unknown>({
    invalidates: pathsOf(organization),
    message: `${reserved === undefined ? 'Created' : 'Changed'} the reserved tag key ${input.key}.`,
    onClose,
  });
  return (
    <ActionDialog
      title={reserved === undefined ? 'New reserved tag key' : `Edit “${stored.key}”`}
      submitLabel={reserved === undefined ? 'Create' : 'Save'}
      action={action}
      request={
        reserved === undefined ? createReservedTagKey(organization, input) : updateReservedTagKey(reserved.id, input)
      }
      required={{ Key: input.key }}
      isUnchanged={reserved !== undefined && compareAttributes(stored, input).length === 0}
      onClose={onClose}
    >
      <TextField {...field('key')} label="Key" autoFocus />
      <CheckboxField
        {...flag('disable-overrides')}
        label={toLabel('disable-overrides')}
        hint="Workspaces cannot override it."
      />
    </ActionDialog>
  );
};
