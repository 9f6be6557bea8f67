import { type ReactNode, useState } from 'react';
import type { Change } from '../../../../shared/client/compare.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Action } from '../api/use-action.ts';
import { formBlocker } from '../lib/form-blocker.ts';
import { Button } from './button.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { Curl } from './curl.tsx';
import { Dialog, DialogActions, DialogBody } from './dialog.tsx';
import { Form, FormErrors, TextField } from './form.tsx';
import { toVisible } from './visible-text.tsx';

interface ActionDialogProps<D> {
  readonly title: ReactNode;
  /** Says what the action does, in particular if it is destructive. */
  readonly description?: ReactNode;
  readonly submitLabel: string;
  readonly action: Action<D>;
  /** The request that is sent and shown as a curl command. */
  readonly request: ApiRequest<D>;
  readonly onClose: () => void;
  readonly isDangerous?: boolean;
  /** Name that the user has to type, where there is no way back. */
  readonly confirmName?: string;
  readonly size?: 'small' | 'medium';
  /** Changes of somebody else since the user opened the dialog, from `useRevision`. */
  readonly changes?: readonly Change[] | undefined;
  /** Values that must not be empty, by the labels of their fields. */
  readonly required?: Readonly<Record<string, string>>;
  /** Whether an edit would change nothing. */
  readonly isUnchanged?: boolean;
  /** Whether a field shows a problem, which the button leads to. */
  readonly isInvalid?: boolean;
  /** Another reason why the action cannot be submitted now. */
  readonly disabledReason?: string | undefined;
  readonly children?: ReactNode;
}

/**
 * Shows a dialog in which the user completes and submits one action. Its main button is disabled, with the reason, until all
 * required values are there, an edit changes something, and the name is typed.
 */
export const ActionDialog = <D,>({
  title,
  description,
  submitLabel,
  action,
  request,
  onClose,
  isDangerous = false,
  confirmName,
  size = 'small',
  required = {},
  isUnchanged = false,
  isInvalid = false,
  disabledReason,
  changes,
  children,
}: ActionDialogProps<D>) => {
  const [typedName, setTypedName] = useState('');
  const unconfirmed = confirmName !== undefined && typedName !== confirmName ? 'Type the name first.' : undefined;
  const reason = disabledReason ?? formBlocker(required, isUnchanged) ?? unconfirmed;
  const submit = () => {
    if (reason !== undefined) return;
    if (isInvalid) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    else action.run(request);
  };
  return (
    <Dialog title={title} description={description} size={size} onClose={onClose}>
      <Form error={action.error} onSubmit={submit}>
        <DialogBody>
          <FormErrors isRevised={changes !== undefined} />
          <ChangedMeanwhile changes={changes} isDangerous={isDangerous} />
          {children}
          {confirmName !== undefined && (
            <TextField
              name="confirmation"
              label={
                <>
                  Type <code>{toVisible(confirmName)}</code> to confirm
                </>
              }
              value={typedName}
              onChange={setTypedName}
              isCode
            />
          )}
        </DialogBody>
        <DialogActions>
          <Curl requests={[request]} />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look={isDangerous ? 'danger' : 'primary'}
            isPending={action.isPending}
            disabledReason={reason}
          >
            {submitLabel}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
};
