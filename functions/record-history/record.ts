import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { DomainError } from '../../shared/domain/errors.ts';
import {
  type AttributeChange,
  LARGE_VALUE,
  type LargeValue,
  sizeOfValue,
} from '../../shared/domain/history/history-entry.ts';
import { isSensitive, ownerId, type Variable } from '../../shared/domain/workspace/variable.ts';
import type { Fingerprints } from '../../shared/encryption/fingerprint.ts';
import type { DeadLetters } from '../../shared/events/dead-letters.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import { LAST_TRIES_MILLISECONDS } from '../../shared/runtime/stream.ts';
import type { RecordFirstUse } from '../../shared/store/directory/tokens/first-uses.ts';
import type { HistoryValue, HistoryWriter } from '../../shared/store/history/history-writer.ts';
import { readStreamChange } from '../../shared/store/history/stream-changes.ts';
import { creationTimeIn, rawChangeRecordIn } from '../../shared/store/workspaces/stream-records.ts';

interface Recorder {
  readonly history: HistoryWriter;
  readonly recordFirstUse: RecordFirstUse;
  readonly fingerprints: Pick<Fingerprints, 'compute'>;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Number of records of a batch that are written at the same time. Their order does not matter. */
export const RECORDS = 16;

type Outcome = 'recorded' | 'ignored' | 'dead' | 'delayed';

/** Creates the conversions of values to their form in the history. */
const createValues = (fingerprints: Recorder['fingerprints']) => {
  /** Replaces a large value by its length and fingerprint (HIST-5). @param owner id of the resource. */
  const shorten = async (owner: string, id: string, value: unknown): Promise<unknown> => {
    const length = sizeOfValue(value);
    if (length <= LARGE_VALUE) return value;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { length, fingerprint: await fingerprints.compute({ owner, id, value: text }) } satisfies LargeValue;
  };

  const shortenAll = async (owner: string, values: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      await Promise.all(Object.entries(values).map(async ([name, value]) => [name, await shorten(owner, name, value)])),
    ) as Readonly<Record<string, unknown>>;

  const shortenChange = async (owner: string, change: AttributeChange): Promise<AttributeChange> => ({
    ...change,
    old: await shorten(owner, change.attribute, change.old),
    new: await shorten(owner, change.attribute, change.new),
  });

  const historyValueOf = async (variable: Variable): Promise<HistoryValue> => {
    const { id, version, category, key, description, hcl, content, fingerprint } = variable;
    const about = { id, version, category, key, description, hcl, sensitive: isSensitive(variable) };
    if ('reference' in content) return { ...about, reference: content.reference };
    if ('encryptedValue' in content) return { ...about, ...(fingerprint !== undefined && { fingerprint }) };
    const { value } = content;
    const length = sizeOfValue(value);
    if (length <= LARGE_VALUE) return { ...about, value };
    const computed = fingerprint ?? (await fingerprints.compute({ owner: ownerId(variable), id, value }));
    return { ...about, value: { length, fingerprint: computed } };
  };

  return { shortenAll, shortenChange, historyValueOf };
};

/**
 * Creates the handler that writes the history from the stream of the table (HIST-2). Every write can be repeated, so the
 * records of a batch are written in any order, and again after a failure. The handler returns the position of the first
 * record that could not be written. The stream delivers all records from there again.
 */
export const recordBatch = ({ history, recordFirstUse, fingerprints, deadLetters, clock, logger }: Recorder) => {
  const { shortenAll, shortenChange, historyValueOf } = createValues(fingerprints);

  /** Writes the part of the history that one write changes. @returns whether there was anything. */
  const writeRecord = async (record: DynamoDBRecord): Promise<boolean> => {
    const change = readStreamChange(record);
    if (change === undefined) return false;
    if (change.kind === 'entry') {
      const { entry } = change;
      const { id } = entry.resource;
      const changes = await Promise.all(entry.changes.map((one) => shortenChange(id, one)));
      await history.writeEntry({ ...entry, changes }, creationTimeIn(record));
      return true;
    }
    if (change.kind === 'token-use') {
      await recordFirstUse(change.use);
      return true;
    }
    if (change.kind === 'consumers') {
      await history.writeConsumers(change.consumers);
      return true;
    }
    if (change.kind === 'text') {
      for (const { revision, text } of change.texts) {
        await history.writeText(change.workspace, revision, await shortenAll(change.workspace, text));
      }
      return true;
    }
    const { before, after } = change;
    // A variable can become sensitive and get another key, which is another item, in one write. So the plain values of
    // every new item of a sensitive variable are removed.
    const isNewlySensitive = after !== undefined && isSensitive(after) && !(before && isSensitive(before));
    if (isNewlySensitive) await history.removeValues(after.id);
    if (before !== undefined) {
      const { value, ...kept } = await historyValueOf(before);
      await history.keepValue(isNewlySensitive || value === undefined ? kept : { ...kept, value });
    }
    if (after !== undefined) await history.writeValue(await historyValueOf(after));
    return true;
  };

  const isLastTry = (record: DynamoDBRecord): boolean => clock() > creationTimeIn(record) + LAST_TRIES_MILLISECONDS;

  const recordOne = async (record: DynamoDBRecord): Promise<Outcome> => {
    try {
      return (await writeRecord(record)) ? 'recorded' : 'ignored';
    } catch (error) {
      const isTransient = error instanceof DomainError && error.code === 'unavailable';
      const reason = (error as Error).message;
      if (isTransient && !isLastTry(record)) {
        logger.warn(messages.HISTORY_DELAYED, { reason });
        return 'delayed';
      }
      logger.error(messages.HISTORY_UNRECORDED, { reason });
    }
    try {
      await deadLetters({ reason: 'The history entry could not be written', event: rawChangeRecordIn(record) });
      return 'dead';
    } catch (error) {
      logger.error(messages.DEAD_LETTER_FAILED, { error: error as Error });
      return 'delayed';
    }
  };

  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const outcomes = await mapWithConcurrency(Records, RECORDS, recordOne);
    const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
    logger.info(messages.HISTORY_RECORDED, {
      recorded: count('recorded'),
      dead: count('dead'),
      delayed: count('delayed'),
    });
    const first = Records[outcomes.indexOf('delayed')]?.dynamodb?.SequenceNumber;
    return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }] };
  };
};
