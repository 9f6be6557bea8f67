import type { Token, TokenSubject } from '../../../domain/directory/tokens.ts';
import { placeOfSingleToken } from '../../../domain/directory/transitions/tokens.ts';
import { isId } from '../../../domain/ids.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys, NOTHING, prefixes, subjectPartition } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { targetKey } from '../../items/directory-writes.ts';
import { storedOf, tokenOf, tokenSubjectOf } from '../../items/record-items.ts';

/**
 * Lists all tokens of a subject with strong consistency, also expired ones, in no particular order. A revoked token leaves a
 * tombstone for a while.
 */
export const findTokens = async (database: Database, subject: TokenSubject): Promise<Token[]> => {
  const partition = subjectPartition(subject);
  const items = await database.query({ partition, beginsWith: prefixes.tokens, consistent: true });
  return items.filter(isOpen).map(tokenOf);
};

/** Finds the id of the single token of a subject; undefined if it has none. */
export const findSingleToken = async (database: Database, subject: TokenSubject): Promise<string | undefined> => {
  const place = placeOfSingleToken(subject);
  const item = place && (await database.get(targetKey(place.of), true));
  const stored = item && storedOf(place.of.kind, item);
  return stored?.[place?.attribute ?? 'singleToken'];
};

/** Opens the reads of tokens. Their text is not stored. */
export const openTokenReader = (database: Database) => {
  const find = async (subject: TokenSubject, id: string, consistent: boolean): Promise<Token | undefined> => {
    const item = await database.get(keys.tokenOf(subject, id), consistent);
    return isOpen(item) ? tokenOf(item) : undefined;
  };

  return {
    find: async (id: string, consistent: boolean): Promise<Token | undefined> => {
      const pointer = isId('token', id) ? await database.get(keys.pointer(id), consistent) : undefined;
      // What does not exist is read, too, so that it takes as many rounds as what does (PERM-21).
      if (pointer === undefined) return void (await database.get(NOTHING, consistent));
      return find(tokenSubjectOf(pointer), id, consistent);
    },

    listOf: (subject: TokenSubject): Promise<readonly Token[]> => findTokens(database, subject),

    /** Finds the token of an organization, or the single token of a team. */
    findOwn: async (subject: TokenSubject): Promise<Token | undefined> => {
      const id = await findSingleToken(database, subject);
      return id === undefined ? undefined : find(subject, id, true);
    },
  };
};
