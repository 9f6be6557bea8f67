import { conflict } from '../../errors.ts';
import type { Token } from '../tokens.ts';
import type { Effect } from './plan.ts';

/** A rename changes the name on every token of the subject, two items each, and a transaction holds 100. */
const MOST_TOKENS = 40;

/** Plans the new name of a subject on its tokens. @throws DomainError 409 when it has too many tokens. */
export const renameTokens = (tokens: readonly Token[], name: string): Effect[] => {
  if (tokens.length > MOST_TOKENS) {
    throw conflict(
      `The name cannot change while there are more than ${MOST_TOKENS} tokens. There are ${tokens.length}: delete some first.`,
    );
  }
  return tokens.map((token) => ({ kind: 'rename-token', token, name }));
};
