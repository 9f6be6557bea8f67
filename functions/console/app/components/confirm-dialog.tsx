import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Reply } from '../../../../shared/client/send.ts';
import { apiQuery } from '../api/query-client.ts';
import { type Action, useAction } from '../api/use-action.ts';
import { compareShown } from '../lib/compare.ts';
import { ActionDialog } from './action-dialog.tsx';
import { toast, toastOnNextPage } from './toast.tsx';

interface DialogActionOptions<D = unknown> {
  /** Paths below `/api/v2` whose cached data are out of date after the action. */
  readonly invalidates: readonly string[];
  /** Says what was done. */
  readonly message: string;
  /** Opens the page to continue with, if the action ends the present one. */
  readonly leave?: (reply: Reply<D>) => unknown;
  readonly onClose: () => void;
}

/** Returns the action of a dialog: when it is done, it says so and closes the dialog. */
export const useDialogAction = <D,>({ invalidates, message, leave, onClose }: DialogActionOptions<D>): Action<D> =>
  useAction<D>({
    invalidates,
    onDone: (reply) => {
      (leave === undefined ? toast : toastOnNextPage)(message);
      leave?.(reply);
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
export const ConfirmDialog = ({ invalidates, message, leave, onClose, ...dialog }: ConfirmDialogProps) => {
  const action = useDialogAction({ invalidates, message, ...(leave && { leave }), onClose });
  return <ActionDialog {...dialog} isDangerous action={action} onClose={onClose} />;
};

interface DeleteDialogProps extends ConfirmDialogProps {
  /** Attributes of the resource as the page shows them. */
  readonly shown: object;
}

/**
 * Like `ConfirmDialog`, for a resource that somebody else may have changed since the page was loaded. It shows these changes,
 * and deletes only the revision that it has read.
 */
export const DeleteDialog = ({
  shown,
  request,
  invalidates,
  message,
  leave,
  onClose,
  ...dialog
}: DeleteDialogProps) => {
  const action = useDialogAction({ invalidates, message, ...(leave && { leave }), onClose });
  const present = useQuery({
    ...apiQuery<{ readonly data: { readonly attributes: object } }>({ method: 'GET', url: request.url }),
    staleTime: 0,
    gcTime: 0,
    // A rejected deletion reads it again. After a successful one there is nothing to read.
    enabled: !action.isPending,
  });
  const changes = compareShown(shown, present.data?.document.data.attributes ?? {});
  const isPending = action.isPending || present.isFetching;
  return (
    <ActionDialog
      {...dialog}
      isDangerous
      action={{ ...action, isPending, run: (deletion) => isPending || action.run(deletion) }}
      request={{ ...request, ifMatch: present.data?.etag }}
      changes={changes.length > 0 ? changes : undefined}
      onClose={onClose}
    />
  );
};
