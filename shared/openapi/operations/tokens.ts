import { newToken, token } from '../../resources/authentication-tokens/openapi.ts';
import type { tokens as routes } from '../../routes/tokens.ts';
import { type Group, list, one } from '../operation.ts';

const OWNERS = 'The caller needs to be an owner.';
const MANAGERS = 'The caller needs to manage teams; for the tokens of the owners, to be an owner.';
const SELF = 'With a token of the user; nobody else sees them.';
const BODY = 'May be missing. Without `expired-at` it never expires.';
const REPLACES = 'The one before it is refused from then on, within seconds everywhere.';

export const tokens: Group<keyof typeof routes> = {
  name: 'Tokens',
  description: 'What callers present. The text of a token is answered when it is made, and kept nowhere.',
  operations: {
    'organization-token.create': {
      summary: 'Create the token of an organization; replaces the existing one',
      description: `${OWNERS} ${REPLACES}`,
      rule: 'AUTH-8',
      body: BODY,
      answers: one(newToken),
    },
    'organization-token.show': {
      summary: "Show an organization's token",
      description: OWNERS,
      rule: 'AUTH-8',
      answers: one(token),
    },
    'organization-token.delete': {
      summary: "Revoke an organization's token",
      description: OWNERS,
      rule: 'AUTH-8',
    },
    'team-token.create': {
      summary: 'Create the single token of a team; replaces the existing one',
      description: `${MANAGERS} ${REPLACES} Tokens that the team has several of are left alone.`,
      rule: 'AUTH-8',
      body: BODY,
      answers: one(newToken),
    },
    'team-token.show': {
      summary: 'Show the single token of a team',
      description: MANAGERS,
      rule: 'AUTH-8',
      answers: one(token),
    },
    'team-token.delete': { summary: 'Revoke the single token of a team', description: MANAGERS, rule: 'AUTH-8' },
    'team-tokens.list': {
      summary: "List a team's tokens",
      description: MANAGERS,
      rule: 'AUTH-8',
      answers: list(token),
    },
    'team-tokens.create': {
      summary: 'Create a further token of a team',
      description: MANAGERS,
      rule: 'AUTH-8',
      body: BODY,
      answers: one(newToken),
    },
    'user-tokens.list': {
      summary: "List a user's tokens",
      description: SELF,
      rule: 'AUTH-9',
      answers: list(token),
    },
    'user-tokens.create': {
      summary: 'Create a token of a user',
      description: SELF,
      rule: 'AUTH-9',
      body: BODY,
      answers: one(newToken),
    },
    'tokens.show': {
      summary: 'Show a token by its id',
      description: 'The caller bears it, or could make it.',
      rule: 'AUTH-11',
      answers: one(token),
    },
    'tokens.delete': {
      summary: 'Revoke a token by its id',
      description: 'The caller bears it, or could make it. It is refused from then on, within seconds everywhere.',
      rule: 'AUTH-11',
    },
  },
};
