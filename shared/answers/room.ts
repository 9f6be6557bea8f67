import { tooLarge } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Variable } from '../domain/variables.ts';

/** What a variable takes in an answer beside its value, in bytes, at least. */
const RECORD = 400;

/** More variables than this are too many for one answer, whatever is in them. */
export const mostVariables = Math.floor(limits.answer / RECORD);

/**
 * Room for variables in one answer. What cannot be answered need not be read to its end: taking a variable throws when
 * the room is used up.
 */
export const answerRoom = () => {
  let left: number = limits.answer;
  return ({ content }: Variable): void => {
    left -= RECORD + ('value' in content ? Buffer.byteLength(content.value) : 0);
    if (left < 0) throw tooLarge();
  };
};
