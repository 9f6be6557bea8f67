import type { ConsumersReference, HistoryEntry } from '../../domain/history/history-entry.ts';
import { LATEST } from '../../domain/timestamps.ts';
import { isSensitive } from '../../domain/workspace/variable.ts';
import type { Database } from '../dynamodb/database.ts';
import { historyPartition, type Item, type Key, keys, sortableTime } from '../dynamodb/keys.ts';
import { variableKeyOf, variableOf } from '../items/variable-items.ts';
import type { HistoryValue } from './history-writer.ts';
import type { ChangedConsumers } from './stream-changes.ts';

/** A stored entry, and its position in the history of its resource. */
export interface StoredEntry {
  readonly entry: HistoryEntry;
  /** Cursor of the page that begins after the entry. */
  readonly cursor: string;
}

/** Conditions on the entries of a page. All of them hold. */
export interface HistoryFilter {
  /** Earliest time of a change, in milliseconds. */
  readonly since?: number;
  /** Latest time of a change, in milliseconds. */
  readonly until?: number;
  /** Types of changes; undefined for all. */
  readonly actions?: readonly string[];
  /** Ids of actors; undefined for all. */
  readonly actors?: readonly string[];
}

/** A page of entries, newest first. */
export interface HistoryPage {
  readonly entries: readonly StoredEntry[];
  /** Cursor of the next page; undefined after the last one. */
  readonly next?: string;
}

/** Parts of entries that are stored apart from them. Each is undefined if it has expired, or is not written yet. */
export interface HistoryParts {
  /**
   * Returns a version of a variable, without its plain value if the variable is sensitive now. Its plain values are removed
   * from the history only when the record of the stream is handled (HIST-7).
   */
  readonly value: (variable: string, version: string | undefined) => HistoryValue | undefined;
  readonly text: (workspace: string, revision: number) => Readonly<Record<string, unknown>> | undefined;
  /** Returns the ids of remote state consumers that a change added or removed, as far as they are stored. */
  readonly consumers: (workspace: string, reference: ConsumersReference) => Pick<ChangedConsumers, 'added' | 'removed'>;
  /** Returns whether a variable has been deleted. */
  readonly isDeleted: (variable: string) => boolean;
}

/** Maximum number of entries that one request reads. */
export const READ_LIMIT = 1_000;
/**
 * Entries are sorted by the time at which DynamoDB made the change, which is shown to the second and may be later than
 * the time of its record by the duration of a request. The range of a query is larger by this, in milliseconds.
 */
export const TIME_MARGIN = 60_000;
/** Factor by which each query of a request reads more entries than the one before. */
const READ_GROWTH = 4;

/**
 * A cursor is the sort key of the last entry of a page, with a separator that needs no encoding in a URL. A sequence number
 * has more than 10 digits after the restore of a table (STORE-33).
 */
const CURSOR = /^(\d{13})-(\d{10,16})$/;

/** Returns whether a text has the form of a cursor. */
export const isCursor = (text: string): boolean => CURSOR.test(text);

/** Returns the highest sort key that is lower than a cursor. */
const before = (cursor: string): string => {
  const [, time = '', sequence = ''] = CURSOR.exec(cursor) ?? [];
  return `${time}#${String(Math.max(0, Number(sequence) - 1)).padStart(sequence.length, '0')}`;
};

const cursorOf = ({ sk }: Item): string => String(sk).replace('#', '-');

/** Converts a stored item to an entry. */
export const entryOf = ({ pk: _pk, sk: _sk, ty: _ty, v: _v, ttl: _ttl, ...entry }: Item): HistoryEntry =>
  entry as unknown as HistoryEntry;

const passes = ({ at, type, actor }: HistoryEntry, { since, until, actions, actors }: HistoryFilter): boolean =>
  (since === undefined || at >= since) &&
  (until === undefined || at <= until) &&
  (actions === undefined || actions.includes(type)) &&
  (actors === undefined || actors.includes(actor.id));

const isFiltered = ({ actions, actors }: HistoryFilter): boolean => actions !== undefined || actors !== undefined;

/** Removes the plain value of a version of a variable. */
const withoutPlainValue = ({ value: _, ...version }: HistoryValue): HistoryValue => version;

/** Opens the reads of the history. */
export const openHistoryReader = (database: Database) => ({
  /**
   * Reads a page of the history of a resource (HIST-8). It reads at most `READ_LIMIT` entries; if few of them pass the
   * filter, the page is shorter than requested and still has a cursor.
   * @param after cursor of the previous page.
   */
  findEntries: async (
    resource: string,
    filter: HistoryFilter,
    size: number,
    after: string | undefined,
  ): Promise<HistoryPage> => {
    const { since = TIME_MARGIN, until = LATEST } = filter;
    const from = sortableTime(Math.max(0, since - TIME_MARGIN));
    const latest = sortableTime(Math.min(until + TIME_MARGIN, LATEST));
    let upTo = after === undefined || before(after) > latest ? latest : before(after);
    const entries: StoredEntry[] = [];
    let limit = isFiltered(filter) ? READ_LIMIT : size + 1;
    for (let left = READ_LIMIT; left > 0 && upTo >= from; ) {
      const range = { partition: historyPartition(resource), from, until: upTo, descending: true };
      const { items, next } = await database.page({ ...range, limit: Math.min(limit, left) });
      left -= items.length;
      // Entries within `TIME_MARGIN` of the range are read and left out, so few queries must pass over many of them.
      limit *= READ_GROWTH;
      for (const item of items) {
        const entry = entryOf(item);
        if (!passes(entry, filter)) continue;
        if (entries.length === size) return { entries, next: entries.at(-1)?.cursor ?? '' };
        entries.push({ entry, cursor: cursorOf(item) });
      }
      const last = items.at(-1);
      if (next === undefined || last === undefined) return { entries };
      upTo = before(cursorOf(last));
      if (left <= 0) return { entries, next: cursorOf(last) };
    }
    return { entries };
  },

  /** Reads the parts of entries in one round; in two if a variable has another key than in its entries. */
  findParts: async (entries: readonly HistoryEntry[]): Promise<HistoryParts> => {
    const wanted = new Map<string, Key>();
    const want = (key: Key) => wanted.set(`${key.pk} ${key.sk}`, key);
    const shown = new Set<string>();
    const consumerKeys = (workspace: string, { generation, change, chunks }: ConsumersReference): readonly Key[] =>
      Array.from({ length: chunks }, (_, chunk) => keys.historyConsumers(workspace, generation, change, chunk));
    for (const { resource, details, text, consumers } of entries) {
      if (consumers !== undefined) consumerKeys(resource.id, consumers).forEach(want);
      const { variable, versions } = details;
      if (variable !== undefined) want(keys.pointer(variable.id));
      if (variable !== undefined && versions !== undefined) {
        shown.add(variable.id);
        want(keys.variable(resource.id, variable.category, variable.key));
      }
      for (const version of [versions?.old, versions?.new]) {
        if (variable !== undefined && version !== undefined) want(keys.historyValue(variable.id, version));
      }
      for (const revision of [text?.old, text?.new]) {
        if (typeof revision === 'number') want(keys.historyText(resource.id, revision));
      }
    }
    const read = async (these: readonly Key[]) => (these.length === 0 ? [] : await database.getAll(these));
    const items = await read([...wanted.values()]);
    const found = new Map(items.map((item) => [`${item['pk']} ${item['sk']}`, item]));
    const get = ({ pk, sk }: Key) => found.get(`${pk} ${sk}`);
    const variables = items.filter(({ ty }) => ty === 'variable');
    const seen = new Set(variables.map(({ id }) => id));
    const moved = [...shown].filter((id) => !seen.has(id));
    variables.push(...(await read(moved.flatMap((id) => variableKeyOf(get(keys.pointer(id))) ?? []))));
    const sensitive = new Set(
      variables
        .map(variableOf)
        .filter(isSensitive)
        .map(({ id }) => id),
    );
    return {
      value: (variable, version) => {
        if (version === undefined) return undefined;
        const value = get(keys.historyValue(variable, version)) as HistoryValue | undefined;
        return value && sensitive.has(variable) ? withoutPlainValue(value) : value;
      },
      text: (workspace, revision) =>
        get(keys.historyText(workspace, revision))?.['text'] as Readonly<Record<string, unknown>>,
      consumers: (workspace, reference) => {
        const changed = consumerKeys(workspace, reference).flatMap(
          (key) => (get(key) ?? []) as unknown as ChangedConsumers,
        );
        return {
          added: changed.flatMap(({ added }) => added),
          removed: changed.flatMap(({ removed }) => removed),
        };
      },
      isDeleted: (variable) => {
        const pointer = get(keys.pointer(variable));
        return pointer === undefined || pointer['gone'] !== undefined;
      },
    };
  },
});

export type HistoryReader = ReturnType<typeof openHistoryReader>;
