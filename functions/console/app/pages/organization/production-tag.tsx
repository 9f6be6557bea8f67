import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { updateOrganization } from '../../../../../shared/client/organizations.ts';
import { organizationTagsQuery } from '../../api/organizations.ts';
import { anyWorkspaceQuery } from '../../api/workspaces.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { TextField } from '../../components/form.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { formatCount, toLabel } from '../../lib/words.ts';
import { toListQuery } from '../workspaces/search.ts';
import { useOrganizationName } from './use-organization.ts';

interface ProductionTagFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isOptional?: boolean;
}

/** Shows the field of the tag that says which workspaces are production. It suggests the tags of the organization. */
export const ProductionTagField = (props: ProductionTagFieldProps) => {
  const organization = useOrganizationName();
  const tags = useQuery(organizationTagsQuery(organization));
  const tag = useDebounced(props.value.trim());
  const tagged = useQuery({ ...anyWorkspaceQuery(organization, toListQuery({ tags: tag })), enabled: tag !== '' });
  const count = tagged.data?.document.meta.pagination['total-count'];
  const found =
    tag === '' || count === undefined || tagged.isPlaceholderData
      ? ''
      : ` ${formatCount(count, 'workspace')} ${count === 1 ? 'has' : 'have'} the tag ${tag}.`;
  return (
    <TextField
      {...props}
      name="production-tag"
      label={toLabel('production-tag')}
      hint={`Workspaces are production if they or their project have this tag: a tag, or a key with a value, such as environment=production.${found}`}
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
