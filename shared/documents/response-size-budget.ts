import { tooLarge } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Variable } from '../domain/workspace/variable.ts';
import { createSemaphore } from '../lib/concurrency.ts';

/** What a variable or an output takes in an answer beside its value, in bytes, at least. */
const RECORD = 400;

/** More variables than this are too many for one answer, whatever is in them. */
export const mostVariables = Math.floor(limits.answer / RECORD);

/**
 * Room for what is read into one answer. What cannot be answered need not be read to its end: taking bytes throws when
 * they are used up.
 */
export const responseSizeBudget = () => {
  let left: number = limits.answer;
  const take = (bytes: number): void => {
    left -= RECORD + bytes;
    if (left < 0) throw tooLarge();
  };
  return {
    take,
    takeVariable: ({ content }: Variable): void => take('value' in content ? Buffer.byteLength(content.value) : 0),
    /** Runs one read at a time, so that reading stops as soon as the budget is used up. */
    runExclusive: createSemaphore(1),
  };
};
