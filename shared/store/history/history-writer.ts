import { jobOfRequest } from '../../domain/bulk-jobs/bulk-job.ts';
import { type Change, exists } from '../../domain/changes/conditions.ts';
import type { HistoryEntry, LargeValue } from '../../domain/history/history-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import type { ItemType } from '../dynamodb/item-schemas.ts';
import { historyPartition, type Item, type Key, keys, prefixes } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { keyOf, put, update } from '../items/item-write.ts';
import { openActivityMarks } from './activity-marks.ts';
import type { ChangedConsumers } from './stream-changes.ts';

/** One version of a variable in the history. Its value is absent if it is sensitive or has a value reference. */
export interface HistoryValue {
  /** Id of the variable. */
  readonly id: string;
  readonly version: string;
  readonly category: string;
  readonly key: string;
  readonly description: string | null;
  readonly hcl: boolean;
  readonly sensitive: boolean;
  readonly value?: string | LargeValue;
  /** Reference to a value in AWS, which takes the place of the value. */
  readonly reference?: string;
  /** Keyed fingerprint of a sensitive value; absent if the variable has none. */
  readonly fingerprint?: string;
}

/**
 * Returns the time of a change within the second of its stream record, so that the audit trail is sorted by milliseconds
 * and has late changes at the time at which they were made.
 */
const withinSecond = (at: number, second: number): number => Math.min(Math.max(at, second), second + 999);

const DAY_SECONDS = 86_400;
/** Number of concurrent writes while the values of a variable are removed. */
const WRITES = 8;

/**
 * Opens the writes of the history. Each can be repeated: a record of the stream may arrive more than once (HIST-2).
 * @param days retention of an entry, by the time to live of its items.
 */
export const openHistoryWriter = (database: Database, clock: Clock, days: number) => {
  const ttl = (): number => Math.floor(clock() / 1_000) + days * DAY_SECONDS;

  /** @returns whether the condition held. */
  const send = (write: Write): Promise<boolean> => conditionHolds(persistWrite('history', { database, clock }, write));

  /** Writes an item unless there is one under its key. */
  const putOnce = (key: Key, type: ItemType, attributes: Item) => send(put(key, type, { ...attributes, ttl: ttl() }));

  /** Changes an item if there is one under the key. @returns whether there was. */
  const updateExisting = (key: Key, change: Change) => send(update(key, change, exists('pk')));

  const markDay = openActivityMarks(database, clock);

  const removePlainValue = (key: Key) => updateExisting(key, { set: { removed: true }, remove: ['value'] });

  /** Writes a new version of a variable. */
  const writeValue = async (value: HistoryValue): Promise<void> => {
    const key = keys.historyValue(value.id, value.version);
    await putOnce(key, 'history-value', { ...value });
    if (value.value === undefined) return;
    // Written first, read second: either this read finds the mark, or `removeValues` finds the value.
    const mark = await database.get(keys.historySecret(value.id), true);
    if (mark !== undefined) await removePlainValue(key);
  };

  return {
    writeValue,

    /**
     * Writes an entry, and the pointer to it from the audit trail of its organization.
     * @param at time of the stream record, which never decreases for one item, in milliseconds.
     */
    writeEntry: async (entry: HistoryEntry, at: number): Promise<void> => {
      const { id, organization, resource, sequence, type, actor, details } = entry;
      const key = keys.historyEntry(resource.id, at, sequence);
      // A pointer without its entry is skipped by readers; an entry without its pointer would be missing in the trail. The trail
      // shows a bulk job as one entry, and the job has the others (JOB-16).
      if (jobOfRequest(entry.request) === undefined) {
        const pointer = {
          id,
          organization,
          entry: key,
          type,
          actor: actor.id,
          at: entry.at,
          ...(details.endsRun && { endedRun: details.run?.status }),
        };
        // If one of the two fails, both are repeated with the record of the stream.
        await Promise.all([
          markDay(organization, entry.at),
          putOnce(keys.auditPointer(organization, withinSecond(entry.at, at), id), 'audit-pointer', pointer),
        ]);
      }
      await putOnce(key, 'history-entry', { ...entry });
    },

    /** Extends the retention of a version that was replaced now. It is written if it is not stored any more, or not yet. */
    keepValue: async (value: HistoryValue): Promise<void> => {
      const isFound = await updateExisting(keys.historyValue(value.id, value.version), { set: { ttl: ttl() } });
      if (!isFound) await writeValue(value);
    },

    /** Writes a revision of the long text of a workspace, or extends its retention. */
    writeText: async (workspace: string, revision: number, text: Readonly<Record<string, unknown>>): Promise<void> => {
      const key = keys.historyText(workspace, revision);
      const isFound = await updateExisting(key, { set: { ttl: ttl() } });
      if (!isFound) await putOnce(key, 'history-text', { workspace, revision, text });
    },

    /** Writes the ids that a change added to a chunk of remote state consumers, or removed from it. */
    writeConsumers: async (changed: ChangedConsumers): Promise<void> => {
      const { workspace, generation, change, chunk } = changed;
      await putOnce(keys.historyConsumers(workspace, generation, change, chunk), 'history-consumers', { ...changed });
    },

    /** Removes the plain values of a variable that has become sensitive, including values that are written later (HIST-7). */
    removeValues: async (variable: string): Promise<void> => {
      await putOnce(keys.historySecret(variable), 'history-secret', { id: variable });
      const values = await database.query({
        partition: historyPartition(variable),
        beginsWith: prefixes.historyValues,
        consistent: true,
      });
      const plain = values.filter(({ value }) => value !== undefined);
      await mapWithConcurrency(plain, WRITES, (item) => removePlainValue(keyOf(item)));
    },
  };
};

export type HistoryWriter = ReturnType<typeof openHistoryWriter>;
