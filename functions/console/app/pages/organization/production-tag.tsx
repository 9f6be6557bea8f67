import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { updateOrganization } from '../../../../../shared/client/organizations.ts';
import { organizationTagsQuery } from '../../api/organizations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { TextField } from '../../components/form.tsx';
import { toLabel } from '../../lib/words.ts';
import { useOrganizationName } from './use-organization.ts';

interface ProductionTagFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isOptional?: boolean;
}

/** Shows the field of the tag that says which workspaces are production. It suggests the tags of the organization. */
export const ProductionTagField = (props: ProductionTagFieldProps) => {
  const tags = useQuery(organizationTagsQuery(useOrganizationName()));
  return (
    <TextField
      {...props}
      name="production-tag"
      label={toLabel('production-tag')}
      hint="Workspaces are production if they or their project have this tag: a tag, or a key with a value, such as environment=production. The home counts them."
      suggestions={(tags.data?.document.data ?? []).map(({ attributes: { name } }) => name)}
    />
  );
};

/** Chooses the production tag of an organization that has none. */
export const ProductionTagDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const organization = useOrganizationName();
  const [tag, setTag] = useState('');
  const action = useDialogAction({
    invalidates: [`/organizations/${organization}`],
    message: `Changed the settings of the organization ${organization}.`,
    onClose,
  });
  return (
    <ActionDialog
      title="Choose the production tag"
      submitLabel="Save"
      action={action}
      request={updateOrganization(organization, { 'production-tag': tag.trim() })}
      required={{ [toLabel('production-tag')]: tag }}
      onClose={onClose}
    >
      <ProductionTagField value={tag} onChange={setTag} />
    </ActionDialog>
  );
};
