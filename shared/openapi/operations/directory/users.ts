import { prefixes } from '../../../domain/ids.ts';
import { id } from '../../../schemas/schema.ts';
import { type Group, one } from '../../operation.ts';
import { user } from '../../resources.ts';

/** The account of the caller, with the id of the token of the request. */
const account = { ...one(user), meta: { 'token-id': id(prefixes.token) } };

export const users = {
  name: 'Users',
  description: 'The user of the token, and the members of the same organizations.',
  operations: {
    'users.account': {
      summary: 'Show the user of the token',
      description: '`meta.token-id` is the id of the token.',
      rule: 'AUTH-7',
      response: account,
      errors: { 404: 'The token belongs to a team, an organization or a site administrator, not to a user.' },
    },
    'users.update-account': {
      summary: 'Update the user of the token',
      description: 'Another e-mail address applies when an administrator has confirmed it.',
      rule: 'AUTH-20',
      response: account,
      errors: {
        404: 'The token belongs to a team, an organization or a site administrator, not to a user.',
        409: 'The user has more than 40 tokens, too many for another username.',
      },
    },
    'users.show': {
      summary: 'Show a user',
      description: 'The user is the caller, or a member of one of the organizations of the caller.',
      rule: 'AUTH-7',
      response: one(user),
    },
  },
} satisfies Group;
