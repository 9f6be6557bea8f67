import { isId } from '../domain/ids.ts';
import type { Token, TokenSubject } from '../domain/tokens.ts';
import { tokenSubjectOf } from './administration-items.ts';
import { holderKey } from './administration-tokens.ts';
import type { Database, Item } from './database.ts';
import { isOpen } from './directory-items.ts';
import { keys, prefixes, subjectPartition } from './keys.ts';

/** Tokens as they are shown: what is known of them beside their text. */
export interface TokenReader {
  readonly findTokenById: (id: string, consistent: boolean) => Promise<Token | undefined>;
  /** All of a subject, those that have expired too, in no particular order. */
  readonly findTokensOf: (subject: TokenSubject) => Promise<readonly Token[]>;
  /** The one of an organization, or the one of a team that its next one replaces. */
  readonly findOwnToken: (subject: TokenSubject) => Promise<Token | undefined>;
}

const tokenOf = (item: Item): Token => {
  const { id, digest, name, organization, description, expiresAt, createdAt, createdBy } = item as unknown as Token;
  const subject = tokenSubjectOf(item);
  return { id, digest, subject, name, organization, description, expiresAt, createdAt, createdBy } as Token;
};

export const openTokenReader = (database: Database): TokenReader => {
  const find = async (subject: TokenSubject, id: string, consistent: boolean): Promise<Token | undefined> => {
    const item = await database.get(keys.tokenOf(subject, id), consistent);
    return item && tokenOf(item);
  };

  return {
    findTokenById: async (id, consistent) => {
      const pointer = isId('token', id) ? await database.get(keys.pointer(id), consistent) : undefined;
      return pointer && find(tokenSubjectOf(pointer), id, consistent);
    },

    findTokensOf: async (subject) => {
      const partition = subjectPartition(subject);
      const items = await database.query({ partition, beginsWith: prefixes.tokens, consistent: true });
      return items.map(tokenOf);
    },

    findOwnToken: async (subject) => {
      const key = holderKey(subject);
      const holder = key && (await database.get(key, true));
      const id = isOpen(holder) ? holder['token'] : undefined;
      return id === undefined ? undefined : find(subject, String(id), true);
    },
  };
};
