import { openSigned } from '../lib/signed-request.ts';
import { readService } from './environment.ts';

/** Timeout of the invocation. It is fire-and-forget, but must be sent before Lambda freezes the instance. */
const REQUEST_MILLISECONDS = 1_000;

/** Starts another function of the deployment, without waiting for its result. */
export type StartFunction = (event: object) => Promise<void>;

/**
 * Opens the asynchronous invocation of a function.
 * @returns a function that throws an error if Lambda does not accept the event in time.
 */
export const openStartFunction = (functionName: string): StartFunction => {
  const send = openSigned('lambda', readService('LAMBDA'));
  return async (event) => {
    const path = `/2015-03-31/functions/${functionName}/invocations`;
    const headers = { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' };
    await send({ method: 'POST', host: 'lambda', path, headers, body: JSON.stringify(event) }, REQUEST_MILLISECONDS);
  };
};
