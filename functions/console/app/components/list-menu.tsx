import { useState } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { errorDetails } from '../api/errors.ts';
import { type ListDocument, type ListedResource, readWholeList } from '../api/read-whole-list.ts';
import { toCsv } from '../lib/csv.ts';
import { offerFile } from '../lib/offer-file.ts';
import { OptionsMenu } from './options-menu.tsx';
import { toast } from './toast.tsx';

interface ListMenuProps {
  /** Title of the list, such as "State versions". */
  readonly title: string;
  /** The request of the list, with its filters. */
  readonly request: ApiRequest<ListDocument>;
}

/** Writes a resource as one row: its id, its attributes, and the ids of what it refers to. */
const toRow = ({ id, attributes, relationships = {} }: ListedResource) => ({
  id,
  ...attributes,
  ...Object.fromEntries(
    Object.entries(relationships).flatMap(([name, { data }]) =>
      data === undefined
        ? []
        : [
            [
              name,
              [data ?? []]
                .flat()
                .map((related) => related.id)
                .join(' '),
            ],
          ],
    ),
  ),
});

const formats = {
  CSV: (resources: readonly ListedResource[]) => new Blob([toCsv(resources.map(toRow))], { type: 'text/csv' }),
  JSON: (resources: readonly ListedResource[]) =>
    new Blob([JSON.stringify(resources, null, 2)], { type: 'application/json' }),
};

/** Menu of a list: saves all of its pages as a file, and shows the request as a curl command. */
export const ListMenu = ({ title, request }: ListMenuProps) => {
  const [isReading, setReading] = useState(false);
  const save = async (format: keyof typeof formats) => {
    setReading(true);
    try {
      const content = formats[format](await readWholeList(request));
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
