import type { ApiRequest } from '../../../../shared/client/request.ts';
import { toCsv } from '../lib/csv.ts';
import { type FileColumns, headingsOf, type ListedResource, toFileRows } from '../lib/list-rows.ts';
import { offerFile } from '../lib/offer-file.ts';
import { type ListDocument, readWholeList } from './read-whole-list.ts';

/** A list that can be saved as a file. */
export interface SavedList {
  /** Title of the list, such as "State versions". */
  readonly title: string;
  /** The request of the list, with its filters. */
  readonly request: ApiRequest<ListDocument>;
  /** Columns of CSV, also by what the list contains; undefined for all attributes and relationships. JSON contains everything. */
  readonly columns?: FileColumns | ((resources: readonly ListedResource[]) => FileColumns) | undefined;
  /** Whether the list shows a resource, if the service does not filter it. */
  readonly isShown?: (resource: ListedResource) => boolean;
}

/** Reads all pages of a list and saves it as a file. */
export const saveList = async (
  { title, request, columns, isShown = () => true }: SavedList,
  format: 'CSV' | 'JSON',
): Promise<void> => {
  const { resources: all, included } = await readWholeList(request);
  const resources = all.filter(isShown);
  const shown = typeof columns === 'function' ? columns(resources) : columns;
  const content =
    format === 'CSV'
      ? new Blob([toCsv(toFileRows(resources, included, shown), headingsOf(shown))], { type: 'text/csv' })
      : new Blob([JSON.stringify(resources, null, 2)], { type: 'application/json' });
  offerFile(content, `${title.toLowerCase().replaceAll(/\W+/g, '-')}.${format.toLowerCase()}`);
};
