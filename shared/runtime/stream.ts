/**
 * Settings of the function that reads the table's stream. The infrastructure configures the event source with them, and
 * the function derives from them when a record gets no other try: Lambda does not tell a function the number of tries.
 */

/** Maximum number of records in one invocation. */
export const STREAM_BATCH = 100;

/** Age in seconds at which Lambda gives up on a record, well before the stream itself drops it (24 hours). */
export const STREAM_PATIENCE_SECONDS = 12 * 60 * 60;
/** Age in milliseconds from which on a record that fails goes to the dead-letter queue. */
export const LAST_TRIES_MILLISECONDS = (STREAM_PATIENCE_SECONDS - 30 * 60) * 1_000;

/**
 * Number of batches of one shard that the history handles at the same time: the maximum of Lambda, because the history
 * writes at least twice for each change. Lambda keeps the order of the records of one item.
 */
export const STREAM_PARALLELISM = 10;

/** Maximum number of tries: more than Lambda makes within that age, so that the age decides. */
export const STREAM_TRIES = 10_000;
