import { KMS, type KMSClientConfig } from '@aws-sdk/client-kms';
import { unavailable } from '../domain/errors.ts';
import { isTransientError } from '../lib/transient-errors.ts';

/** Both attempts together take far less than the timeout of the function, which also reads and writes. */
const LIMITS = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true },
};

/** Creates a client of KMS with short timeouts. */
export const createKeyClient = (configuration: KMSClientConfig = {}): KMS => new KMS({ ...LIMITS, ...configuration });

/**
 * Waits for a request to KMS.
 * @throws DomainError 503 for a transient error.
 */
export const reportKeyErrors = async <T>(request: Promise<T>): Promise<T> => {
  try {
    return await request;
  } catch (error) {
    throw isTransientError(error) ? unavailable('The service is busy. Try again shortly.', error) : error;
  }
};
