import type { Token, TokenSubject } from '../../../domain/directory/tokens.ts';
import { isId } from '../../../domain/ids.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys, prefixes, subjectPartition } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { tokenOf, tokenSubjectOf } from '../../items/record-items.ts';
import { placeOfSingleToken } from './tokens.ts';

/** Reads of tokens. Their text is not stored. */
export interface TokenReader {
  readonly find: (id: string, consistent: boolean) => Promise<Token | undefined>;
  /** Lists all tokens of a subject, also expired ones, in no particular order. */
  readonly listOf: (subject: TokenSubject) => Promise<readonly Token[]>;
  /** Finds the token of an organization, or the single token of a team. */
  readonly findOwn: (subject: TokenSubject) => Promise<Token | undefined>;
}

/** Opens the reads of tokens. */
export const openTokenReader = (database: Database): TokenReader => {
  const find = async (subject: TokenSubject, id: string, consistent: boolean): Promise<Token | undefined> => {
    const item = await database.get(keys.tokenOf(subject, id), consistent);
    return isOpen(item) ? tokenOf(item) : undefined;
  };

  return {
    find: async (id, consistent) => {
      const pointer = isId('token', id) ? await database.get(keys.pointer(id), consistent) : undefined;
      return pointer && find(tokenSubjectOf(pointer), id, consistent);
    },

    listOf: async (subject) => {
      const partition = subjectPartition(subject);
      const items = await database.query({ partition, beginsWith: prefixes.tokens, consistent: true });
      return items.filter(isOpen).map(tokenOf);
    },

    findOwn: async (subject) => {
      const place = placeOfSingleToken(subject);
      const holder = place && (await database.get(place.key, true));
      const id = isOpen(holder) && place ? holder[place.attribute] : undefined;
      return id === undefined ? undefined : find(subject, String(id), true);
    },
  };
};
