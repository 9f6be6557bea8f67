import { sortValues } from '../../../jsonapi/sort.ts';
import { teamTokenOrderNames } from '../../../resources/authentication-tokens/team-token-orders.ts';
import { oneOf, text } from '../../../schemas/schema.ts';
import { type Group, list, one, page } from '../../operation.ts';
import { newToken, token } from '../../resources.ts';

const OWNERS = 'The caller needs to be an owner.';
const MANAGERS = 'The caller needs permission to manage teams, and must be an owner for the tokens of the owners team.';
const POOLS = 'The caller needs permission to manage agent pools.';
const SELF = 'Needs a token of that user; no other caller can see them.';
const BODY = 'Optional. Without `expired-at` the token never expires.';
const kind = {
  token: {
    description: 'The kind of the token. Absent: the ordinary token of the organization.',
    schema: oneOf(['audit-trails']),
  },
};
const REPLACES = 'The previous token is rejected within seconds.';

export const tokens = {
  name: 'Tokens',
  description: 'Credentials of callers. The text of a token is returned only when it is created, and is not stored.',
  operations: {
    'organization-token.create': {
      summary: 'Create the token of an organization; replaces the existing one',
      description: `${OWNERS} ${REPLACES}`,
      rule: 'AUTH-8',
      query: kind,
      body: BODY,
      response: one(newToken),
    },
    'organization-token.show': {
      summary: "Show an organization's token",
      description: OWNERS,
      rule: 'AUTH-8',
      query: kind,
      response: one(token),
    },
    'organization-token.delete': {
      summary: "Revoke an organization's token",
      description: OWNERS,
      rule: 'AUTH-8',
      query: kind,
      errors: { 400: 'There is no such kind of token.' },
    },
    'team-token.create': {
      summary: 'Create the single token of a team; replaces the existing one',
      description: `${MANAGERS} ${REPLACES} The team's other tokens are not affected.`,
      rule: 'AUTH-8',
      body: BODY,
      response: one(newToken),
    },
    'team-token.show': {
      summary: 'Show the single token of a team',
      description: MANAGERS,
      rule: 'AUTH-8',
      response: one(token),
    },
    'team-token.delete': { summary: 'Revoke the single token of a team', description: MANAGERS, rule: 'AUTH-8' },
    'team-tokens.list': {
      summary: "List a team's tokens",
      description: MANAGERS,
      rule: 'AUTH-8',
      response: list(token),
    },
    'team-tokens.create': {
      summary: 'Create an additional token of a team',
      description: MANAGERS,
      rule: 'AUTH-8',
      body: BODY,
      response: one(newToken),
    },
    'organization-team-tokens.list': {
      summary: 'List the tokens of all teams of an organization',
      description: `Tokens of the owners team are listed for owners only. ${MANAGERS}`,
      rule: 'AUTH-18',
      query: {
        q: { description: 'Part of the name of the team, ignoring case.', schema: text() },
        sort: {
          description: 'Sort order; a hyphen means descending. Default: by creation.',
          schema: oneOf(sortValues(teamTokenOrderNames)),
        },
      },
      response: page(token),
    },
    'agent-pool-tokens.list': {
      summary: "List an agent pool's tokens",
      description: POOLS,
      rule: 'POOL-9',
      query: {
        sort: { description: 'Sort order; a hyphen means descending.', schema: oneOf(sortValues(['created-at'])) },
      },
      response: list(token),
    },
    'agent-pool-tokens.create': {
      summary: 'Create a token of an agent pool',
      description: `${POOLS} It does not authenticate requests to this service.`,
      rule: 'POOL-9',
      body: '`description` is required. Without `expired-at` the token never expires.',
      response: one(newToken),
    },
    'user-tokens.list': {
      summary: "List a user's tokens",
      description: SELF,
      rule: 'AUTH-9',
      response: list(token),
    },
    'user-tokens.create': {
      summary: 'Create a token of a user',
      description: SELF,
      rule: 'AUTH-9',
      body: BODY,
      response: one(newToken),
    },
    'tokens.show': {
      summary: 'Show a token by its id',
      description: 'The caller presents this token, or may create such tokens.',
      rule: 'AUTH-11',
      response: one(token),
    },
    'tokens.delete': {
      summary: 'Revoke a token by its id',
      description: 'The caller presents this token, or may create such tokens. The token is rejected within seconds.',
      rule: 'AUTH-11',
    },
  },
} satisfies Group;
