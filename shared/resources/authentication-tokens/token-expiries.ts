import type { Token } from '../../domain/directory/tokens.ts';

type Expiring = Pick<Token, 'expiresAt'>;

const DAY = 24 * 60 * 60_000;

const isExpired = ({ expiresAt }: Expiring, at: number): boolean => expiresAt !== undefined && expiresAt <= at;

const expiresWithin =
  (days: number) =>
  (token: Expiring, at: number): boolean =>
    token.expiresAt !== undefined && !isExpired(token, at) && token.expiresAt <= at + days * DAY;

/** Tests of the expiry of a token at a time, in epoch milliseconds, by the name in `filter[expiry_status]` (AUTH-18). */
export const tokenExpiries = {
  active: (token, at) => !isExpired(token, at),
  expiring_in_7_days: expiresWithin(7),
  expiring_in_30_days: expiresWithin(30),
  expired: isExpired,
  no_expiration: ({ expiresAt }) => expiresAt === undefined,
} as const satisfies Readonly<Record<string, (token: Expiring, at: number) => boolean>>;

/** Names in `filter[expiry_status]` of the list of the tokens of teams. */
export const tokenExpiryStatuses = Object.keys(tokenExpiries) as readonly (keyof typeof tokenExpiries)[];
