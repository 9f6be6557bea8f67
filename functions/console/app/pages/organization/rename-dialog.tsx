import { useState } from 'react';
import type { ApiRequest } from '../../../../../shared/client/request.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { TextField } from '../../components/form.tsx';

interface RenameDialogProps {
  /** Kind of the resource in the message, such as "SSH key". */
  readonly kind: string;
  /** Present name. */
  readonly name: string;
  readonly request: (name: string) => ApiRequest;
  /** Paths below `/api/v2` whose cached data are out of date afterwards. */
  readonly invalidates: readonly string[];
  readonly onClose: () => void;
}

/** Shows a dialog that gives a resource another name, where nothing else of it can be changed. */
const RenameDialog = ({ kind, name: present, request, invalidates, onClose }: RenameDialogProps) => {
  const [name, setName] = useState(present);
  const action = useDialogAction({ invalidates, message: `Renamed the ${kind} ${present} to ${name}.`, onClose });
  return (
    <ActionDialog
      title={`Rename “${present}”`}
      submitLabel="Rename"
      action={action}
      request={request(name)}
      required={{ Name: name }}
      isUnchanged={name === present}
      onClose={onClose}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} autoFocus />
    </ActionDialog>
  );
};

interface RenameActionProps extends Pick<RenameDialogProps, 'kind' | 'invalidates'> {
  readonly request: (id: string, name: string) => ApiRequest;
  /** Reason why the user may not rename; undefined if they may. */
  readonly missing: string | undefined;
}

/** Builds the action of a row that gives its resource another name. */
export const renameAction = ({ request, missing, ...dialog }: RenameActionProps) => ({
  label: 'Rename',
  disabledReason: () => missing,
  dialog: ({ id }: { readonly id: string }, onClose: () => void, name: string) => (
    <RenameDialog {...dialog} name={name} request={(other) => request(id, other)} onClose={onClose} />
  ),
});
