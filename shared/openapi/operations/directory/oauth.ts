import { text } from '../../../schemas/schema.ts';
import { type Group, list, one } from '../../operation.ts';
import { oauthClient, oauthToken } from '../../resources.ts';

const WHO = 'The caller needs permission to manage VCS settings.';

export const oauth = {
  name: 'VCS connections',
  description: 'Connections to VCS providers, each an OAuth client with one token.',
  operations: {
    'oauth-clients.list': {
      summary: 'List VCS connections',
      rule: 'VCS-1',
      query: { q: { description: 'Part of the name, ignoring case.', schema: text() } },
      response: list(oauthClient),
    },
    'oauth-clients.create': {
      summary: 'Create a VCS connection',
      description: WHO,
      rule: 'VCS-2',
      response: one(oauthClient),
    },
    'oauth-clients.show': { summary: 'Show a VCS connection', rule: 'VCS-1', response: one(oauthClient) },
    'oauth-clients.update': {
      summary: 'Update a VCS connection',
      description: `Omitted attributes stay unchanged. ${WHO}`,
      rule: 'VCS-3',
      response: one(oauthClient),
    },
    'oauth-clients.delete': {
      summary: 'Delete a VCS connection',
      description: WHO,
      rule: 'VCS-3',
      errors: { 409: 'A workspace uses the connection.' },
    },

    'oauth-tokens.list': {
      summary: "List an organization's OAuth tokens",
      rule: 'VCS-1',
      query: { q: { description: 'Part of the name, ignoring case.', schema: text() } },
      response: list(oauthToken),
    },
    'oauth-tokens.list-of-client': {
      summary: 'List the tokens of a VCS connection',
      rule: 'VCS-1',
      response: list(oauthToken),
    },
    'oauth-tokens.show': { summary: 'Show an OAuth token', rule: 'VCS-1', response: one(oauthToken) },
  },
} satisfies Group;
