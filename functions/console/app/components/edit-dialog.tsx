import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Reply } from '../../../../shared/client/send.ts';
import type { apiQuery } from '../api/query-client.ts';
import { Dialog, DialogBody } from './dialog.tsx';
import { Loaded } from './loaded.tsx';

/** A resource that a form edits. */
export interface Edited<D> {
  /** The present revision, with its entity tag. */
  readonly stored: Reply<D>;
  /** Reads the newest revision. */
  readonly reload: () => Promise<Reply<D>>;
}

interface EditDialogProps<D> {
  readonly title: string;
  readonly query: ReturnType<typeof apiQuery<D>>;
  readonly onClose: () => void;
  /** Shows the dialog with the form. */
  readonly children: (edited: Edited<D>) => ReactNode;
}

/** Loads the present revision of a resource before it is edited: lists have no entity tags. */
export const EditDialog = <D,>({ title, query, onClose, children }: EditDialogProps<D>) => {
  const queryClient = useQueryClient();
  const loaded = useQuery({ ...query, staleTime: 0, gcTime: 0 });
  if (loaded.data !== undefined) {
    return children({ stored: loaded.data, reload: () => queryClient.fetchQuery({ ...query, staleTime: 0 }) });
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        <Loaded query={loaded}>{() => null}</Loaded>
      </DialogBody>
    </Dialog>
  );
};
