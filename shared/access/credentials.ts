import { hash } from 'node:crypto';
import type { RequestContext } from '../domain/changes/change-context.ts';
import type { NewToken } from '../domain/directory/tokens.ts';
import { BASE58_CLASS, isId } from '../domain/ids.ts';
import { base58, newId } from '../lib/random.ts';

/**
 * Kind of a token (AUTH-3). A token consists of the prefix of its kind (`hfu_`, `hft_`, `hfo_`, `hfa_`, `hfs_`, `hfr_`,
 * `hfp_`, `hfw_` or `hfc_`), 36 random characters (210 bits) and a checksum of 8 characters. Secret scanners find leaked tokens by the
 * prefix. The checksum allows invalid tokens to be rejected without a read.
 */
export type TokenKind =
  | 'user'
  | 'team'
  | 'organization'
  | 'audit-trails'
  | 'site'
  | 'run'
  | 'agentPool'
  | 'workloadIdentity'
  | 'session';

const kindPrefixes = {
  user: 'hfu_',
  team: 'hft_',
  organization: 'hfo_',
  'audit-trails': 'hfa_',
  site: 'hfs_',
  run: 'hfr_',
  agentPool: 'hfp_',
  workloadIdentity: 'hfw_',
  session: 'hfc_',
} as const satisfies Readonly<Record<TokenKind, string>>;
const RANDOM = 36;
/** Form of the tokens that authenticate requests. Tokens of agent pools do not (POOL-9). */
const form = new RegExp(`^(hf(?:[auto]|[rsw]|c)_${BASE58_CLASS}{${RANDOM}})([0-9a-f]{8})$`);

/** Computes the CRC-32 of a text. The module `zlib` has one too, but is otherwise loaded only for what it compresses. */
const crc32 = (text: string): number => {
  let sum = ~0;
  for (const byte of Buffer.from(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
};

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** Generates the text of a new token. It is shown once and never stored. */
export const mintToken = (kind: TokenKind): string => {
  const text = kindPrefixes[kind] + base58(RANDOM);
  return text + checksum(text);
};

/** Computes the SHA-256 of a token in hexadecimal. Tokens are stored and found by this digest. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex');

/** Stored attributes of a token, without its digest. */
interface About {
  readonly description: string | null;
  readonly expiresAt?: number | undefined;
  readonly createdBy?: NewToken['createdBy'];
}

/** Creates the stored form of the token that a request creates, with a new id. */
export const newToken = (
  request: Pick<RequestContext, 'id' | 'attempt'>,
  text: string,
  { description, expiresAt, createdBy }: About,
): NewToken => ({
  id: newId('token', request),
  digest: digestOf(text),
  description,
  ...(expiresAt !== undefined && { expiresAt }),
  ...(createdBy && { createdBy }),
});

/** Generates the secret of a new session, which only the cookie of the browser has. It contains the id of the session. */
export const mintSessionSecret = (id: string): string => `${id}.${base58(RANDOM)}`;

/** Reads the id of the session from its secret, and the digest of the secret; undefined for a text of another form. */
export const readSessionSecret = (secret: string): { readonly id: string; readonly digest: string } | undefined => {
  const [id = '', random = '', ...rest] = secret.split('.');
  const isSecret = isId('session', id) && random.length === RANDOM && rest.length === 0;
  return isSecret ? { id, digest: digestOf(secret) } : undefined;
};

/** Returns the token in an `Authorization` header; undefined if the header has another form. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

/** Computes the digest of a token; undefined if the token is not well-formed. */
export const readToken = (token: string): string | undefined => {
  const [, text, sum] = form.exec(token) ?? [];
  return text !== undefined && checksum(text) === sum ? digestOf(token) : undefined;
};

/** Computes the digest of the token in an `Authorization` header; undefined if the token is not well-formed. */
export const readBearer = (authorization: string | undefined): string | undefined =>
  readToken(bearerToken(authorization) ?? '');
