import { tooLarge } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Variable } from '../domain/workspace/variable.ts';
import { createSemaphore, type Semaphore } from '../lib/concurrency.ts';

/** Minimum size, in bytes, of a variable or an output in a response without its value. */
const RECORD_BYTES = 400;

/** Number of variables above which a response is too large, whatever the variables contain. */
export const mostVariables = Math.floor(limits.responseBody / RECORD_BYTES);

/** Bytes that are left in one response. Reading stops once the response limit is exceeded (HTTP-19). */
export interface ResponseSizeBudget {
  /** @throws DomainError 422 once the response is too large. */
  readonly take: (bytes: number) => void;
  /** @throws DomainError 422 once the response is too large. */
  readonly takeVariable: (variable: Variable) => void;
  /** Runs one read at a time, so that reading stops as soon as the budget is used up. */
  readonly runExclusive: Semaphore;
}

/** Creates the response size budget of one request. */
export const createResponseSizeBudget = (): ResponseSizeBudget => {
  let left: number = limits.responseBody;
  const take = (bytes: number): void => {
    left -= RECORD_BYTES + bytes;
    if (left < 0) throw tooLarge();
  };
  return {
    take,
    takeVariable: ({ content }) => {
      if ('value' in content) take(Buffer.byteLength(content.value));
      else take('reference' in content ? content.reference.length : 0);
    },
    runExclusive: createSemaphore(1),
  };
};
