/** Limits of the lifetime of an organization's tokens (AUTH-22). */

/** Types of tokens that have a limit, in the words of the API. */
export const limitedTokenTypes = ['organization', 'team', 'user', 'audit_trails'] as const;
export type LimitedTokenType = (typeof limitedTokenTypes)[number];

/** Two years of 365.2425 days, in milliseconds: the limit of a type for which the organization has set none. */
export const DEFAULT_MAX_TTL = 63_113_904_000;

/** A limit that an organization has set. Times are in milliseconds. */
export interface TokenTtlPolicy {
  readonly maxTtlMs: number;
  readonly updatedAt: number;
}

export type TokenTtlPolicies = Partial<Readonly<Record<LimitedTokenType, TokenTtlPolicy>>>;

/** The limits of an organization, and whether they are in force. */
export interface LifetimeLimits {
  readonly maxTtlEnabled?: boolean;
  readonly tokenTtlPolicies?: TokenTtlPolicies;
}

/**
 * Returns the longest lifetime of a new token of an organization.
 * @returns milliseconds; undefined if the organization does not limit it.
 * @example
 * const lifetime = Math.min(requested, longestLifetime(organization, 'team') ?? requested);
 */
export const longestLifetime = (
  { maxTtlEnabled, tokenTtlPolicies }: LifetimeLimits,
  type: LimitedTokenType,
): number | undefined => (maxTtlEnabled === true ? (tokenTtlPolicies?.[type]?.maxTtlMs ?? DEFAULT_MAX_TTL) : undefined);
