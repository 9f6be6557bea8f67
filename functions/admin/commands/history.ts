import { historyExportKey } from '../../../shared/blob/blob-keys.ts';
import { visibleEntry } from '../../../shared/documents/visible-entry.ts';
import { parseTimestamp } from '../../../shared/domain/timestamps.ts';
import { historyEntryResource } from '../../../shared/resources/history-entries/response.ts';
import { isTrailCursor, openAuditTrailReader } from '../../../shared/store/history/audit-trail-reader.ts';
import {
  type HistoryFilter,
  type HistoryPage,
  isCursor,
  openHistoryReader,
} from '../../../shared/store/history/history-reader.ts';
import type { AdminDependencies } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';
import { findWorkspace } from './find-workspace.ts';

/** Remaining time of the invocation below which no part starts, in milliseconds. */
const MARGIN = 20_000;

/** Rights of the owners of an organization on its history (HIST-10). */
const ownerRights = { isOwner: true, seesOrigins: true, readsVariables: true, seesTeam: () => true, reads: () => true };

/** Reads a time. @throws DomainError 422 for a day that does not exist. */
const readTime = (parameter: string, text: string): number => {
  const time = parseTimestamp(text);
  if (time === undefined) throw invalidParameter(parameter, `${parameter} is not a time that exists`);
  return time;
};

/** Creates the handler of the command that exports the history (HIST-16). */
export const history = ({
  database,
  directory: { organizations },
  workspaces,
  storeExport,
  exportPart: size,
}: AdminDependencies): Pick<CommandHandlers, 'exportHistory'> => {
  const [reader, trail] = [openHistoryReader(database), openAuditTrailReader(database)];

  /** Converts a page to JSON lines, in the form of the API for owners. */
  const linesOf = async ({ entries }: HistoryPage): Promise<string> => {
    const parts = await reader.findParts(entries.map(({ entry }) => entry));
    return entries
      .map(({ entry }) => `${JSON.stringify(historyEntryResource(visibleEntry(entry, ownerRights, parts)))}\n`)
      .join('');
  };

  return {
    exportHistory: async ({ organization, workspace, since, until, cursor }, { remaining }) => {
      await organizations.get(organization);
      const id = workspace === undefined ? undefined : (await findWorkspace(workspaces, organization, workspace)).id;
      const isKnown = id === undefined ? isTrailCursor : isCursor;
      if (cursor !== undefined && !isKnown(cursor)) {
        throw invalidParameter('cursor', 'cursor is not the cursor of a response to the same command');
      }
      const filter: HistoryFilter = {
        ...(since !== undefined && { since: readTime('since', since) }),
        ...(until !== undefined && { until: readTime('until', until) }),
      };
      const readPage = (after: string | undefined): Promise<HistoryPage> =>
        id === undefined
          ? trail.findPage(organization, filter, size, after)
          : reader.findEntries(id, filter, size, after);
      const objects: string[] = [];
      let count = 0;
      let next = cursor;
      do {
        const page = await readPage(next);
        const [first] = page.entries;
        if (first !== undefined) {
          // Named by its first entry, so a part that is written again replaces itself.
          const key = historyExportKey(organization, id, first.cursor);
          await storeExport(key, await linesOf(page));
          objects.push(key);
        }
        count += page.entries.length;
        next = page.next;
      } while (next !== undefined && remaining() > MARGIN);
      return { entries: count, objects, ...(next !== undefined && { cursor: next }) };
    },
  };
};
