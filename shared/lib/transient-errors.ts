/** Names of AWS errors that a repetition of the same request may not meet again. */
const transientNames = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionInProgressException',
  'InternalServerError',
  'LimitExceededException',
]);

/** HTTP status of throttling. Lambda uses several names for the error. */
const THROTTLED = 429;

/**
 * Checks whether an error of an AWS client is transient: throttling, a timeout, a lost connection, or 5xx. The same
 * request may succeed on retry.
 */
export const isTransientError = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  if (transientNames.has(error.name) || status === THROTTLED || status >= 500) return true;
  // Errors of the service have a status in their metadata. Without one, no response was received.
  return (
    error.name === 'TimeoutError' ||
    error.name === 'AbortError' ||
    ('code' in error && typeof error.code === 'string' && !error.code.startsWith('ERR_')) ||
    ($metadata !== undefined && $metadata.httpStatusCode === undefined)
  );
};
