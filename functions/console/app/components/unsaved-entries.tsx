import { useBlocker } from '@tanstack/react-router';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

interface UnsavedEntriesProps {
  readonly isUnsaved: boolean;
  readonly title?: string;
  /** Says what is lost. */
  readonly description?: string;
}

/** Keeps the user on a page with entries that are not saved, until they confirm that the entries are lost. */
export const UnsavedEntries = ({
  isUnsaved,
  title = 'Leave without saving?',
  description = 'What you have entered on this page is lost.',
}: UnsavedEntriesProps) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog title={title} description={description} onClose={reset}>
      <DialogActions>
        <Button onClick={reset}>Stay</Button>
        <Button look="danger" onClick={proceed}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  );
};
