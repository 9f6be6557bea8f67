import type { ReactNode } from 'react';
import type { ApiRequest } from '../api/request.ts';
import { type Action, useAction } from '../api/use-action.ts';
import { ActionDialog } from './action-dialog.tsx';
import { toast } from './toast.tsx';

interface DialogActionOptions {
  /** Paths below `/api/v2` whose cached data are out of date after the action. */
  readonly invalidates: readonly string[];
  /** Says what was done. */
  readonly message: string;
  readonly onClose: () => void;
}

/** Returns the action of a dialog: when it is done, it says so and closes the dialog. */
export const useDialogAction = <D,>({ invalidates, message, onClose }: DialogActionOptions): Action<D> =>
  useAction<D>({
    invalidates,
    onDone: () => {
      toast(message);
      onClose();
    },
  });

interface ConfirmDialogProps extends DialogActionOptions {
  readonly title: string;
  /** Says what the action does. */
  readonly description: ReactNode;
  readonly submitLabel: string;
  readonly request: ApiRequest;
  /** Name that the user has to type, where there is no way back. */
  readonly confirmName?: string;
}

/** Shows a dialog that confirms and executes an action that removes something. */
export const ConfirmDialog = ({ invalidates, message, onClose, ...dialog }: ConfirmDialogProps) => {
  const action = useDialogAction({ invalidates, message, onClose });
  return <ActionDialog {...dialog} isDangerous action={action} onClose={onClose} />;
};
