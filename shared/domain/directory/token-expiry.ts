import { invalid } from '../errors.ts';
import { type LifetimeLimits, type LimitedTokenType, longestLifetime } from './token-ttl-policies.ts';
import type { TokenSubject } from './tokens.ts';

/** Types of tokens by the kind of their owner. Tokens of agent pools and of the site have no limit. */
const types: Partial<Readonly<Record<TokenSubject['kind'], LimitedTokenType>>> = {
  organization: 'organization',
  team: 'team',
  user: 'user',
  'audit-trails': 'audit_trails',
};

/**
 * Limits the expiry of a new token to what organizations allow. Without an expiry, the token expires as late as they allow.
 * @param kind kind of the owner of the token.
 * @param organizations the organization of the token, or all organizations of its user.
 * @param at time of the creation. Times are in milliseconds.
 * @returns the expiry; undefined if the token never expires.
 * @throws DomainError 422 for a later expiry than an organization allows.
 */
export const limitExpiry = (
  kind: TokenSubject['kind'],
  organizations: readonly (LifetimeLimits & { readonly name: string })[],
  expiresAt: number | undefined,
  at: number,
): number | undefined => {
  const type = types[kind];
  if (type === undefined) return expiresAt;
  const limits = organizations.flatMap((organization) => {
    const lifetime = longestLifetime(organization, type);
    return lifetime === undefined ? [] : [{ name: organization.name, latest: at + lifetime }];
  });
  const [strictest] = limits.sort((a, b) => a.latest - b.latest);
  if (strictest === undefined) return expiresAt;
  const { name, latest } = strictest;
  if (expiresAt !== undefined && expiresAt > latest) {
    const time = new Date(latest).toISOString();
    throw invalid(
      'expired-at',
      `Expired at must not be later than ${time}: the organization ${name} limits the lifetime of tokens`,
    );
  }
  return expiresAt ?? latest;
};
