import { useState } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { errorDetails } from '../api/errors.ts';
import { type ListDocument, readWholeList } from '../api/read-whole-list.ts';
import { toCsv } from '../lib/csv.ts';
import { type FileColumns, toFileRows } from '../lib/list-rows.ts';
import { offerFile } from '../lib/offer-file.ts';
import { OptionsMenu } from './options-menu.tsx';
import { toast } from './toast.tsx';

interface ListMenuProps {
  /** Title of the list, such as "State versions". */
  readonly title: string;
  /** The request of the list, with its filters. */
  readonly request: ApiRequest<ListDocument>;
  /** Columns of CSV; undefined for all attributes and relationships. JSON contains everything. */
  readonly columns?: FileColumns | undefined;
}

/** Menu of a list: saves all of its pages as a file, and shows the request as a curl command. */
export const ListMenu = ({ title, request, columns }: ListMenuProps) => {
  const [isReading, setReading] = useState(false);
  const save = async (format: 'CSV' | 'JSON') => {
    setReading(true);
    try {
      const { resources, included } = await readWholeList(request);
      const content =
        format === 'CSV'
          ? new Blob([toCsv(toFileRows(resources, included, columns))], { type: 'text/csv' })
          : new Blob([JSON.stringify(resources, null, 2)], { type: 'application/json' });
      offerFile(content, `${title.toLowerCase().replaceAll(/\W+/g, '-')}.${format.toLowerCase()}`);
    } catch (error) {
      toast(errorDetails(error).join(' '), 'danger');
    } finally {
      setReading(false);
    }
  };
  return (
    <OptionsMenu
      of={`the list ${title}`}
      requests={[request]}
      isPending={isReading}
      entries={[
        { kind: 'item', label: 'Download CSV', onSelect: () => save('CSV') },
        { kind: 'item', label: 'Download JSON', onSelect: () => save('JSON') },
      ]}
    />
  );
};
