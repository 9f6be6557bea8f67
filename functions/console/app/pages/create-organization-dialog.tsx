import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createOrganization } from '../../../../shared/client/organizations.ts';
import { useAction } from '../api/use-action.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { TextField } from '../components/form.tsx';
import { toastOnNextPage } from '../components/toast.tsx';
import { nameProblem } from '../lib/names.ts';

interface CreateOrganizationDialogProps {
  /** Address of the user, which is proposed for the organization. */
  readonly email: string;
  readonly onClose: () => void;
}

/** Creates an organization and opens it. */
export const CreateOrganizationDialog = ({ email: own, onClose }: CreateOrganizationDialogProps) => {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState(own);
  const action = useAction({
    invalidates: ['/organizations'],
    onDone: ({ document }: { readonly document: { readonly data: { readonly id: string } } }) => {
      const organization = document.data.id;
      toastOnNextPage(`Created the organization ${organization}.`);
      navigate({ to: '/$organization/workspaces', params: { organization } });
    },
  });
  return (
    <ActionDialog
      title="New organization"
      description="You become its owner. Its name never changes."
      submitLabel="Create"
      action={action}
      request={createOrganization(name, email)}
      required={{ Name: name, 'E-mail': email }}
      isInvalid={nameProblem(name) !== undefined}
      onClose={onClose}
    >
      <TextField
        name="name"
        label="Name"
        hint="Letters, numbers, - and _; at most 40 characters."
        value={name}
        problem={nameProblem(name)}
        onChange={setName}
        isCode
        autoFocus
      />
      <TextField name="email" label="E-mail" value={email} onChange={setEmail} />
    </ActionDialog>
  );
};
