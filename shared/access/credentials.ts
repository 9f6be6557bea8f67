import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { NewToken } from '../domain/directory/tokens.ts';
import { BASE58_CLASS, prefixes } from '../domain/ids.ts';
import { base58 } from '../lib/random.ts';

/**
 * Bearer tokens (AUTH-3): `hfu_`, `hft_`, `hfo_`, `hfs_` or `hfr_` for a user's, a team's, an organization's, a site
 * administrator's or a run's, 36 random characters (210 bits), and a checksum of 8. The prefix lets secret scanners
 * find one that leaked; the checksum lets garbage be refused without a read.
 */
export type TokenKind = 'user' | 'team' | 'organization' | 'site' | 'run';

const kindPrefixes = { user: 'hfu_', team: 'hft_', organization: 'hfo_', site: 'hfs_', run: 'hfr_' } as const;
const RANDOM = 36;
const form = new RegExp(`^(hf[utosr]_${BASE58_CLASS}{${RANDOM}})([0-9a-f]{8})$`);

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** A new token's text: shown once, never stored. */
export const mintToken = (kind: TokenKind): string => {
  const text = kindPrefixes[kind] + base58(RANDOM);
  return text + checksum(text);
};

/** SHA-256 of a token, in hexadecimal: what is stored of it, and what it is found by. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** What is kept of a token beside its digest. */
interface About {
  readonly description: string | null;
  readonly expiresAt?: number | undefined;
  readonly createdBy?: NewToken['createdBy'];
}

/** A token with an id of its own, as it is kept. */
export const newToken = (text: string, { description, expiresAt, createdBy }: About): NewToken => ({
  id: prefixes.token + base58(16),
  digest: digestOf(text),
  description,
  ...(expiresAt !== undefined && { expiresAt }),
  ...(createdBy && { createdBy }),
});

/** The digest of the token in an `Authorization` header; undefined when it cannot be one of ours. */
export const readBearer = (authorization: string | undefined): string | undefined => {
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  const [, text, sum] = form.exec(token ?? '') ?? [];
  return token !== undefined && text !== undefined && checksum(text) === sum ? digestOf(token) : undefined;
};
