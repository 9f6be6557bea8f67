import type { Principal } from './records.ts';

/** Whose a token is, and so what it may do (AUTH-6). */
export interface TokenSubject {
  readonly kind: 'user' | 'team' | 'organization' | 'site';
  /** The user's or team's id, the organization's name, or the one word for the site. */
  readonly id: string;
}

/** A token as it is kept: everything but its text. */
export interface Token {
  /** `at-…` */
  readonly id: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly subject: TokenSubject;
  /** The username, or the team's or organization's name. */
  readonly name: string;
  /** Of a team, or itself; a user's token belongs to none. */
  readonly organization?: string;
  readonly description: string | null;
  readonly expiresAt?: number;
  readonly createdAt: number;
  /** Who made it over HTTP; absent where administration did. */
  readonly createdBy?: Pick<Principal, 'kind' | 'id'>;
}

/** What a token is known by before it is made: its text stays with who asked for it. */
export type NewToken = Pick<Token, 'id' | 'digest' | 'description' | 'expiresAt' | 'createdBy'>;
