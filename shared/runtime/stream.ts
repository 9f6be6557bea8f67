/**
 * How the table's stream is read: the infrastructure sets it up so, and who reads it has to know when no other try comes.
 * A try that fails for good is told by its age, not by a count: nobody is told the count.
 */

/** The sort key of the items whose changes are announced. */
const changeRecordSortKey = 'W';

/** Records in one invocation, at most. */
export const STREAM_BATCH = 100;

/** A record that could not be handled for this long is given up, well before the stream itself forgets it (24 hours). */
export const STREAM_PATIENCE_SECONDS = 12 * 60 * 60;

/** More than Lambda gets through in that time, so that age decides. */
export const STREAM_TRIES = 10_000;

/** Which records are read: writes of a workspace's own item that leave a change record on it (Lambda's filter syntax). */
export const streamFilter = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { sk: { S: [changeRecordSortKey] } },
    NewImage: { chg: { M: { id: { S: [{ exists: true }] } } } },
  },
} as const;
