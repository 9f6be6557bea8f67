import { constant, count, object, text } from '../../schemas/schema.ts';
import { type Group, list, one, plain } from '../operation.ts';
import { identityProvider, workloadIdentity, workloadIdentityTest } from '../resources.ts';

const MANAGERS = 'The caller needs permission to manage teams.';

export const workloadIdentities = {
  name: 'Workload identities',
  description: 'Rules by which pipelines change identity tokens of their platform for tokens of a team.',
  response: one(workloadIdentity),
  operations: {
    'workload-identities.list': {
      summary: 'List workload identities',
      description: `Those of the teams that the caller sees, by name. ${MANAGERS}`,
      rule: 'WI-1',
      query: { q: text('Part of the name, ignoring case.') },
      response: list(workloadIdentity),
    },
    'workload-identities.create': {
      summary: 'Create a workload identity',
      description: `It does not contact the issuer. ${MANAGERS}`,
      rule: 'WI-2',
      body: '`name`, `issuer`, `conditions` and the relationship `team` are required. Without `projects` and `workspaces`, its tokens reach everything that the team has access to.',
    },
    'workload-identities.show': { summary: 'Show a workload identity', description: MANAGERS, rule: 'WI-1' },
    'workload-identities.update': {
      summary: 'Update a workload identity',
      description: `Omitted attributes and lists stay unchanged. Its tokens are revoked, unless only the name or the lifetime changes. ${MANAGERS}`,
      rule: 'WI-12',
      body: 'The team may be sent, but not changed.',
    },
    'workload-identities.delete': {
      summary: 'Delete a workload identity',
      description: `Its tokens are deleted first. ${MANAGERS}`,
      rule: 'WI-12',
    },
    'workload-identities.test': {
      summary: 'Test an identity token',
      description: `Checks the token as an exchange does, and shows the result of each check. It creates no token. ${MANAGERS}`,
      rule: 'WI-13',
      response: one(workloadIdentityTest),
    },
  },
} satisfies Group;

export const oauth2 = {
  name: 'OAuth 2.0',
  description: 'Tokens of pipelines. The requests need no token.',
  operations: {
    'oauth2.token': {
      summary: 'Exchange an identity token',
      description:
        'Returns a token that acts as the team of the workload identity, for its lifetime (RFC 8693). Every refused exchange has the same error. The reason is in the audit trail of the organization.',
      rule: 'WI-8',
      response: plain(
        'The token. It is shown once.',
        object({
          access_token: text('The token. It begins with `hfw_`.'),
          issued_token_type: constant('urn:ietf:params:oauth:token-type:access_token'),
          token_type: constant('Bearer'),
          expires_in: count('Seconds for which the token is valid.'),
        }),
      ),
    },
    'oauth2.revoke': {
      summary: 'Revoke the token of a pipeline',
      description: 'Succeeds for an unknown token as well (RFC 7009).',
      rule: 'WI-12',
      response: plain('Done.', object({})),
    },
  },
} satisfies Group;

export const signIn = {
  name: 'Sign-in',
  description: 'Sign-in of people to the console at identity providers of the deployment.',
  operations: {
    'sign-in.providers': {
      summary: 'List identity providers',
      description:
        'The identity providers of the deployment, in the order of its settings. The request needs no token.',
      rule: 'SIGNIN-1',
      response: list(identityProvider),
    },
  },
} satisfies Group;
