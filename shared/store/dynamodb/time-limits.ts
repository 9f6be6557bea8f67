/** Time limits of the calls to DynamoDB, in milliseconds. The tests replace them: a busy machine must not fail a test. */

/** Time limit of a new connection. */
export const CONNECTION_MILLISECONDS = 500;
/** Time limit of one try, so that a lost connection leaves time for another. */
export const REQUEST_MILLISECONDS = 2_000;
/** Time limit of a read with all its tries: two rounds of reads and a write end before a function is cut off. */
export const READ_MILLISECONDS = 3_000;
/** Time limit of a write that records a request, such as the first use of its token. The response waits for it. */
export const RECORD_MILLISECONDS = 1_000;
