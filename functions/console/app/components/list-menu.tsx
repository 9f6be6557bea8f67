import { useState } from 'react';
import { errorDetails } from '../api/errors.ts';
import { type SavedList, saveList } from '../api/save-list.ts';
import { OptionsMenu } from './options-menu.tsx';
import { toast } from './toast.tsx';

/** Menu of a list: saves all of its pages as a file, and shows the request as a curl command. */
export const ListMenu = (list: SavedList) => {
  const [isReading, setReading] = useState(false);
  const save = async (format: 'CSV' | 'JSON') => {
    setReading(true);
    try {
      await saveList(list, format);
    } catch (error) {
      toast(errorDetails(error).join(' '), 'danger');
    } finally {
      setReading(false);
    }
  };
  return (
    <OptionsMenu
      of={`the list ${list.title}`}
      requests={[list.request]}
      isPending={isReading}
      entries={[
        { kind: 'item', label: 'Download CSV', onSelect: () => save('CSV') },
        { kind: 'item', label: 'Download JSON', onSelect: () => save('JSON') },
      ]}
    />
  );
};
