import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { compilePattern } from '../../../infra/local/assembly/event-pattern.ts';
import { STREAM_BATCH } from '../../../shared/runtime/stream.ts';
import { changeRecordFilter } from '../../../shared/store/dynamodb/table-definition.ts';

type Handler = (
  event: DynamoDBStreamEvent,
  context: { readonly getRemainingTimeInMillis: () => number },
) => Promise<DynamoDBBatchResponse>;

/** Returns whether a record matches one of the filters of an event source mapping. */
const selects = (filters: readonly object[]) => {
  const patterns = filters.map(compilePattern);
  return (record: DynamoDBRecord): boolean => patterns.some((matches) => matches(record));
};

/**
 * Passes records of a stream to a handler as Lambda does: in batches, in order, again from the position that the handler
 * reports, and in halves after a crash.
 * @returns the numbers of invocations, crashes and repeated batches.
 */
export const deliver = async (
  handler: Handler,
  all: readonly DynamoDBRecord[],
  { milliseconds = 60_000, filters = [changeRecordFilter] as readonly object[] } = {},
) => {
  const records = all.filter(selects(filters));
  const count = { invocations: 0, crashes: 0, repeated: 0 };
  let size = STREAM_BATCH;
  for (let at = 0; at < records.length; ) {
    const batch = records.slice(at, at + size);
    count.invocations += 1;
    if (count.invocations > 100 * records.length) throw new Error('The handler makes no progress');
    try {
      const began = performance.now();
      const remaining = () => milliseconds - (performance.now() - began);
      const { batchItemFailures } = await handler({ Records: batch }, { getRemainingTimeInMillis: remaining });
      const [failure] = batchItemFailures;
      const done = failure
        ? batch.findIndex(({ dynamodb: record }) => record?.SequenceNumber === failure.itemIdentifier)
        : batch.length;
      if (done < 0) throw new TypeError('The handler reported a position that is not in the batch');
      if (failure) count.repeated += 1;
      at += done;
      size = STREAM_BATCH;
    } catch (error) {
      if (error instanceof TypeError) throw error;
      count.crashes += 1;
      size = Math.max(1, Math.ceil(batch.length / 2));
    }
  }
  return count;
};
