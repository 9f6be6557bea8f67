/**
 * Errors of an AWS client that say nothing of the request itself: throttled, timed out, connection lost, 5xx. The same
 * request may succeed a moment later.
 */
const passing = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionInProgressException',
  'InternalServerError',
  'LimitExceededException',
]);

export const isTransientError = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  if (passing.has(error.name) || ($metadata?.httpStatusCode ?? 0) >= 500) return true;
  // Errors of the service carry its metadata; what has none never got an answer.
  return (
    error.name === 'TimeoutError' ||
    error.name === 'AbortError' ||
    ('code' in error && typeof error.code === 'string' && !error.code.startsWith('ERR_')) ||
    ($metadata !== undefined && $metadata.httpStatusCode === undefined)
  );
};
