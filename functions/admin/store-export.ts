import { retry } from '../../shared/lib/retry.ts';
import { openSigned } from '../../shared/lib/signed-request.ts';
import { isTransientError } from '../../shared/lib/transient-errors.ts';
import { readService } from '../../shared/runtime/environment.ts';
import type { AdminDependencies } from './dependencies.ts';

/** Timeout of an attempt to write an object of a few megabytes. */
const WRITE_MILLISECONDS = 15_000;
const ATTEMPTS = 3;

/** Opens the writes of exported histories. @throws the last error if S3 does not accept an object. */
export const openExports = (bucket: string): AdminDependencies['storeExport'] => {
  const send = openSigned('s3', readService('S3'));
  const headers = { 'content-type': 'application/x-ndjson' };
  return async (key, body) => {
    const target = { host: `${bucket}.s3`, path: `/${key}`, pathPrefix: `/${bucket}` };
    await retry(() => send({ method: 'PUT', ...target, headers, body }, WRITE_MILLISECONDS), {
      attempts: ATTEMPTS,
      retryOn: isTransientError,
    });
  };
};
