import type { HistoryEntry } from '../../../../shared/client/history.ts';
import { nameOfActor } from './actor.ts';
import { collectNames, describeAction, describeChanges, describeDetails, toText } from './history-changes.ts';
import { hasText } from './history-search.ts';
import type { FileColumns, ListedResource } from './list-rows.ts';

/** Writes the details and changes of an entry in one line, such as `Key: old → new`. */
const describe = ({ attributes, relationships }: HistoryEntry, names: ReadonlyMap<string, string>): string =>
  [
    ...describeDetails(attributes, names).map(([label, value]) => `${label}: ${toText(value)}`),
    ...describeChanges(attributes.changes, names, relationships.resource.data.type).flatMap((group) =>
      group.changes.map(({ name, old, new: current }) => {
        const label = group.heading === undefined ? name : `${group.heading}, ${name}`;
        const values = [...(old === null ? [] : [toText(old)]), toText(current)];
        return `${label}: ${group.isWithheld ? 'not shown' : values.join(' → ')}`;
      }),
    ),
  ].join('; ');

/** Columns of a file with the entries of a history: when, who, what, and from which value to which. */
export const historyColumns = (resources: readonly ListedResource[]): FileColumns => {
  const names = collectNames(resources as unknown as readonly HistoryEntry[]);
  const column = (heading: string, cell: (entry: HistoryEntry) => string | null) => ({
    heading,
    cell: (resource: ListedResource) => cell(resource as unknown as HistoryEntry),
  });
  return {
    'created-at': 'Time',
    actor: column('Actor', ({ attributes }) => nameOfActor(attributes.actor)),
    'actor-id': column('Actor ID', ({ attributes }) => attributes.actor.id),
    action: column('Action', ({ attributes }) => describeAction(attributes, true)),
    'resource-name': 'Resource',
    resource: 'Resource ID',
    changes: column('Changes', (entry) => describe(entry, names)),
    sequence: 'Change number',
    'request-id': 'Request ID',
    'bulk-job-id': 'Bulk job ID',
    'token-id': 'Token ID',
    'source-address': 'Source address',
  };
};

/** Returns a test whether an entry contains a text. */
export const containing = (text: string | undefined) => (resource: ListedResource) =>
  text === undefined || hasText(resource as unknown as HistoryEntry, text);
