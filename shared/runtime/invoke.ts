import { now } from '../lib/clock.ts';
import { backoff, retry } from '../lib/retry.ts';
import { openSigned, type SignedRequest } from '../lib/signed-request.ts';
import { isTransientError } from '../lib/transient-errors.ts';
import { readService } from './environment.ts';

/**
 * Invokes another function of the deployment, and waits for its result.
 * @throws Error if the function failed, or could not be invoked.
 */
export type Invoke = (functionName: string, event: object) => Promise<unknown>;

const ATTEMPTS = 3;
/** Upper bound of the first pause between attempts. */
const PAUSE_MILLISECONDS = 100;
/** Default timeout, above the timeout of every invoked function. */
const MILLISECONDS = 60_000;

/**
 * Opens the invocation of functions. It does not use the client of Lambda, which every cold start would load.
 * @param milliseconds timeout of an invocation with all its attempts.
 */
export const openInvoke = (milliseconds: number = MILLISECONDS): Invoke => {
  const send = openSigned('lambda', readService('LAMBDA'));
  return async (functionName, event) => {
    const deadline = now() + milliseconds;
    const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
    const request: SignedRequest = {
      method: 'POST',
      host: 'lambda',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    };
    const { headers, content } = await retry(() => send(request, deadline - now()), {
      attempts: ATTEMPTS,
      pause: backoff(PAUSE_MILLISECONDS),
      retryOn: isTransientError,
      isTimeUp: () => now() >= deadline,
    });
    const result: unknown = JSON.parse(content.toString() || 'null');
    if (headers['x-amz-function-error'] === undefined) return result;
    throw new Error(`${functionName} failed: ${(result as { errorMessage?: string } | null)?.errorMessage}`);
  };
};
