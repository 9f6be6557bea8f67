import { describe, expect, it } from 'vitest';
import { tokenExpiries, tokenExpiryStatuses } from '../../../shared/resources/authentication-tokens/token-expiries.ts';

/** Statuses of the expiry of tokens (AUTH-18). */
describe('statuses of the expiry of a token', () => {
  const now = Date.UTC(2027, 0, 1);
  const days = (count: number): number => now + count * 24 * 60 * 60_000;

  it.each([
    [undefined, ['active', 'no_expiration']],
    [now, ['expired']],
    [now + 1, ['active', 'expiring_in_7_days', 'expiring_in_30_days']],
    [days(7), ['active', 'expiring_in_7_days', 'expiring_in_30_days']],
    [days(8), ['active', 'expiring_in_30_days']],
    [days(31), ['active']],
  ])('of a token that expires at %s are %j', (expiresAt, statuses) => {
    const token = expiresAt === undefined ? {} : { expiresAt };
    expect(tokenExpiryStatuses.filter((status) => tokenExpiries[status](token, now))).toEqual(statuses);
  });
});
