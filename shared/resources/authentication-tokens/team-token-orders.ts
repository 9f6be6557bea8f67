import type { Token } from '../../domain/directory/tokens.ts';

/** Values by which the tokens of teams are sorted, by the name in the parameter `sort` (AUTH-18). */
export const teamTokenOrders = {
  'team-name': ({ name }) => name,
  'created-by': ({ createdBy }) => createdBy?.id ?? '',
  // A token that never expires comes after all others.
  'expired-at': ({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY,
  // A token that was never used comes before all others.
  'last-used-at': ({ usedAt }) => usedAt ?? 0,
} as const satisfies Readonly<Record<string, (token: Token) => string | number>>;

/** Names in the parameter `sort` of the list of the tokens of teams. */
export const teamTokenOrderNames = Object.keys(teamTokenOrders) as readonly (keyof typeof teamTokenOrders)[];
