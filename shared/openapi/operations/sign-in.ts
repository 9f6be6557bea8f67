import { LOGIN_CLIENT } from '../../domain/sign-in/login.ts';
import { constant, count, nullable, object, optional, text, time } from '../../schemas/schema.ts';
import { type Group, list, one, plain } from '../operation.ts';
import { identityProvider, workloadIdentity, workloadIdentityTest } from '../resources.ts';

const NO_PERSON = 'The caller is not a user.';
const DEVICE_ERRORS = {
  403: NO_PERSON,
  404: 'No login waits with the code, or the deployment does not offer it.',
  429: 'The caller has typed too many wrong codes, or the token has reached its rate limit. Retry after `Retry-After` seconds.',
};
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
  description: 'Tokens of pipelines, and of `terraform login` and `tofu login`.',
  operations: {
    'oauth2.authorize': {
      summary: 'Begin a login',
      description:
        'The browser opens it for `terraform login` and `tofu login`, and goes on to the consent page of the console. Anything wrong ends on a page, and redirects nowhere.',
      rule: 'LOGIN-3',
      query: {
        response_type: constant('code', 'Kind of the response.'),
        client_id: constant(LOGIN_CLIENT, 'Id of the client.'),
        redirect_uri: text('`http://localhost:<port>/login`, with a port from 10000 to 10010.'),
        state: text('A value that the redirect repeats.'),
        code_challenge: text('SHA-256 of the verifier, in base64url.'),
        code_challenge_method: constant('S256', 'Method of the challenge.'),
      },
      requiredQuery: [
        ...['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method'],
      ],
    },
    'oauth2.show-consent': {
      summary: 'Show what a login would bring',
      description: 'The latest expiry of a token that the caller may allow now.',
      rule: 'LOGIN-4',
      response: plain('The expiry.', object({ expires_at: time('Expiry of the token.') })),
      errors: { 403: NO_PERSON, 404: 'The token is for the audit trails of an organization.' },
    },
    'oauth2.consent': {
      summary: 'Allow a login',
      description: 'Creates an authorization code for the command line. The console sends it for the caller.',
      rule: 'LOGIN-4',
      response: plain(
        'The address of the command line, to which the browser goes on.',
        object({ redirect_to: text('The address, with the code and the state.') }),
      ),
      errors: { 403: NO_PERSON, 404: 'The token is for the audit trails of an organization.' },
    },
    'oauth2.token': {
      summary: 'Get a token for a code or an identity token',
      description:
        'For the code of a login, or the device code of a machine without a browser, returns a token of the user who has allowed it. For the identity token of a pipeline, returns a token that acts as the team of the workload identity, for its lifetime (RFC 8693). Every refused exchange has the same error. The reason is in the audit trail of the organization.',
      rule: 'WI-8',
      response: plain(
        'The token. It is shown once.',
        object({
          access_token: text('The token. It begins with `hfu_` or `hfw_`.'),
          issued_token_type: optional(constant('urn:ietf:params:oauth:token-type:access_token')),
          token_type: constant('Bearer'),
          expires_in: count('Seconds for which the token is valid.'),
        }),
      ),
    },
    'oauth2.device': {
      summary: 'Begin the login of a machine without a browser',
      description:
        'Returns a code for the person, who types it on the page `verification_uri`, and a code with which the machine polls `/oauth2/token` (RFC 8628). Without the setting `deviceLogin`, the error is `unauthorized_client`.',
      rule: 'LOGIN-7',
      response: plain(
        'The codes.',
        object({
          device_code: text('Secret of the machine.'),
          user_code: text('Code for the person.', { examples: ['WDJB-MJHT'] }),
          verification_uri: text('Page where the person types the code.'),
          expires_in: count('Seconds for which the codes are valid.'),
          interval: count('Seconds to wait between two polls.'),
        }),
      ),
    },
    'oauth2.show-device': {
      summary: 'Show the login of a machine without a browser',
      description: 'Shows what waits with a code. The console sends it for the caller.',
      rule: 'LOGIN-9',
      response: plain(
        'The request of the machine, and the expiry of the token that the caller may allow.',
        object({
          client_id: constant(LOGIN_CLIENT),
          address: text('Source address of the request.'),
          requested_at: time('Time of the request.'),
          expires_at: time('Expiry of the token.'),
        }),
      ),
      errors: DEVICE_ERRORS,
    },
    'oauth2.decide-device': {
      summary: 'Allow or deny the login of a machine without a browser',
      description: 'Allows the machine a token of the caller, or denies it. The console sends it for the caller.',
      rule: 'LOGIN-9',
      response: plain('Done.', object({})),
      errors: DEVICE_ERRORS,
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
    'sign-in.start': {
      summary: 'Start a sign-in',
      description: 'For browsers. Leads to the identity provider.',
      rule: 'SIGNIN-2',
      query: { to: text('Path of the console to continue with, such as `/app/acme/workspaces`.') },
    },
    'sign-in.callback': {
      summary: 'End a sign-in at the identity provider',
      description:
        'For browsers, to which the identity provider gives the address. Starts a session, and leads to the console.',
      rule: 'SIGNIN-3',
      query: {
        code: text('Code of the identity provider.'),
        state: text('Secret of the sign-in.'),
        iss: text('Issuer of the response.'),
        error: text('Error of the identity provider.'),
      },
    },
    'sign-in.session': {
      summary: 'Create a token of a session',
      description:
        'For the console. The cookie of the session is the credential. The token is valid for an hour at most.',
      rule: 'SIGNIN-9',
      errors: {
        401: 'There is no session, or it has ended.',
        403: 'The request does not come from a page of this service.',
      },
      response: plain(
        'The token. It is shown once.',
        object({
          access_token: text('The token. It begins with `hfc_`.'),
          token_type: constant('Bearer'),
          expires_in: count('Seconds for which the token is valid.'),
          user_id: text('Id of the user as whom the token acts.'),
          username: text('Name of this user.'),
        }),
      ),
    },
    'sign-in.link': {
      summary: 'Sign in with a link',
      description:
        'For the console. Starts a session of an hour for a link that an operator has created. A link works once.',
      rule: 'SIGNIN-13',
      errors: {
        400: 'The link was used before, has expired or is incomplete.',
        403: 'The request does not come from a page of this service.',
        409: 'The user is suspended, or does not exist any more.',
      },
      response: plain('The session has started, and its cookie is set.', object({})),
    },
    'sign-in.end': {
      summary: 'Sign out',
      description: 'For the console. Ends the session of the cookie and its tokens, and deletes the cookie.',
      rule: 'SIGNIN-10',
      errors: { 403: 'The request does not come from a page of this service.' },
      response: plain(
        'The session has ended.',
        object({
          sign_out_url: nullable(
            text('Page that signs the person out at the identity provider; null if there is none.'),
          ),
        }),
      ),
    },
    'sign-in.logout': {
      summary: 'End sessions for an identity provider',
      description: 'For identity providers: OpenID Connect Back-Channel Logout 1.0.',
      rule: 'SIGNIN-11',
      response: plain('Done.', object({})),
    },
  },
} satisfies Group;
