import { prefixes } from '../../domain/ids.ts';
import { sortValues } from '../../jsonapi/sort.ts';
import { teamTokenOrderNames } from '../../resources/authentication-tokens/team-token-orders.ts';
import { tokenExpiryStatuses } from '../../resources/authentication-tokens/token-expiries.ts';
import { membershipStatuses } from '../../resources/organization-memberships/attributes.ts';
import { flag, id, oneOf, text } from '../../schemas/schema.ts';
import { type Group, list, one, page } from '../operation.ts';
import {
  entitlementSet,
  linkedIdentity,
  membership,
  newToken,
  organization,
  project,
  reservedTagKey,
  session,
  team,
  token,
  tokenTtlPolicy,
  user,
} from '../resources.ts';

export const organizations = {
  name: 'Organizations',
  description: 'Organizations own workspaces, projects and teams.',
  response: one(organization),
  operations: {
    'organizations.list': {
      summary: 'List organizations',
      description: 'Returns the organizations that the caller belongs to.',
      rule: 'ORG-4',
      query: {
        q: text('Part of the name or of the e-mail address, ignoring case.'),
        'q[name]': text('Part of the name, ignoring case.'),
        'q[email]': text('Part of the e-mail address, ignoring case.'),
      },
      response: list(organization),
      errors: { 404: 'The token is for the audit trails of an organization.' },
    },
    'organizations.create': {
      summary: 'Create an organization',
      description:
        'Creates its default project and owners team too. The caller needs to be a site administrator, or a user where the deployment allows it. A user becomes the owner. With a site token the owner is the user whom `owner` names, or nobody until the site token adds one.',
      rule: 'ORG-2',
      body: '`name` and `email` are required. Unknown attributes are ignored.',
      errors: {
        404: 'The caller may not create organizations.',
      },
    },
    'organizations.show': { summary: 'Show an organization', rule: 'ORG-4', include: { default_project: [project] } },
    'organizations.update': {
      summary: 'Update an organization',
      description:
        "The caller needs to be an owner, or to use the organization's token. Omitted attributes stay unchanged.",
      rule: 'ORG-5',
      body: 'The name may be sent, but not changed. Unknown attributes are ignored.',
    },
    'organizations.delete': {
      summary: 'Delete an organization that has no workspaces',
      description:
        'The caller needs to be an owner. The organization is out of service at once; its name is free when everything in it has been removed.',
      rule: 'ORG-8',
      errors: { 409: 'The organization has workspaces.' },
    },
    'organizations.entitlements': {
      summary: 'Show the entitlement set of an organization',
      rule: 'ORG-7',
      response: one(entitlementSet),
    },
  },
} satisfies Group;

const membershipInclude = { teams: [team], user: [user] };

export const memberships = {
  name: 'Organization memberships',
  description: 'The members of an organization. Their teams determine what they may do.',
  response: one(membership),
  operations: {
    'memberships.list': {
      summary: 'List the memberships of an organization',
      description:
        'Callers who manage membership see all memberships, others only their own. The order is not defined.',
      rule: 'ORG-11',
      query: {
        q: text('Part of the username or of the e-mail address, ignoring case.'),
        'filter[email]': text('Comma-separated e-mail addresses.'),
        'filter[status]': oneOf(
          membershipStatuses,
          'Memberships of users with an account, or of those who are only invited.',
        ),
        'filter[tokens-accepted]': flag(
          'Memberships of users whose tokens the sign-in policy `sso` accepts now, or rejects, whether or not it is in force.',
        ),
      },
      response: page(membership),
      include: membershipInclude,
    },
    'memberships.list-own': {
      summary: 'List the memberships of the user of the token',
      description:
        'One for each organization that the user belongs to, sorted by its name. Tokens of other kinds have none.',
      rule: 'ORG-14',
      response: page(membership),
      include: membershipInclude,
      errors: { 404: 'The token is for the audit trails of an organization.' },
    },
    'memberships.create': {
      summary: 'Invite a user',
      description:
        'Invites by e-mail address or username. The user belongs to the organization at once; for an unknown e-mail address a user is created. The caller needs permission to manage membership, and must be an owner to add an owner.',
      rule: 'ORG-9',
      alwaysIncluded: [user],
    },
    'memberships.show': {
      summary: 'Show a membership',
      description: 'The caller needs permission to manage membership, or is the user.',
      rule: 'ORG-11',
      include: membershipInclude,
    },
    'memberships.delete': {
      summary: 'Remove a user from an organization',
      description:
        'Also removes the user from all teams of the organization. The caller needs permission to manage membership, and must be an owner to remove an owner.',
      rule: 'ORG-12',
      errors: { 409: 'The user is the only owner.' },
    },
  },
} satisfies Group;

/** The account of the caller, with the id of the token of the request. */
const account = { ...one(user), meta: { 'token-id': id(prefixes.token) } };

export const users = {
  name: 'Users',
  description: 'The user of the token, and the members of the same organizations.',
  response: account,
  operations: {
    'users.account': {
      summary: 'Show the user of the token',
      description: '`meta.token-id` is the id of the token.',
      rule: 'AUTH-7',
      errors: { 404: 'The token belongs to a team, an organization or a site administrator, not to a user.' },
    },
    'users.update-account': {
      summary: 'Update the user of the token',
      description: 'Another e-mail address applies when an administrator has confirmed it.',
      rule: 'AUTH-20',
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

const SIGN_INS = 'The caller is the user, or a site administrator.';

export const sessions = {
  name: 'Sessions',
  description: 'Sign-ins of people at identity providers.',
  response: list(session),
  operations: {
    'sessions.list': {
      summary: "List a user's sessions",
      description: `${SIGN_INS} Sessions that have ended are not listed.`,
      rule: 'SESSION-10',
    },
    'sessions.delete': {
      summary: 'End a session',
      description: `${SIGN_INS} The tokens of the session are rejected within seconds.`,
      rule: 'SESSION-10',
    },
    'linked-identities.list': {
      summary: "List a user's linked identities",
      description: SIGN_INS,
      rule: 'SESSION-11',
      response: list(linkedIdentity),
    },
  },
} satisfies Group;

const OWNERS = 'The caller needs to be an owner.';
const MANAGERS = 'The caller needs permission to manage teams, and must be an owner for the tokens of the owners team.';
const POOLS = 'The caller needs permission to manage agent pools.';
const SELF = 'Needs a token of that user; no other caller can see them.';
const BODY =
  'Optional. Without `expired-at` the token never expires, or as late as the organization allows (`max-ttl-enabled`).';
const kind = {
  token: oneOf(['audit-trails'], 'The kind of the token. Absent: the ordinary token of the organization.'),
};
const REPLACES = 'The previous token is rejected within seconds.';

export const tokens = {
  name: 'Tokens',
  description: 'Credentials of callers. The text of a token is returned only when it is created, and is not stored.',
  response: one(token),
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
    'team-token.show': { summary: 'Show the single token of a team', description: MANAGERS, rule: 'AUTH-8' },
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
        q: text('Part of the name of the team, ignoring case.'),
        sort: oneOf(sortValues(teamTokenOrderNames), 'Sort order; a hyphen means descending. Default: by creation.'),
        'filter[expiry_status]': text(
          `Comma-separated statuses, out of: ${tokenExpiryStatuses.join(', ')}. The token has one of them.`,
        ),
      },
      response: page(token),
    },
    'agent-pool-tokens.list': {
      summary: "List an agent pool's tokens",
      description: POOLS,
      rule: 'POOL-9',
      query: {
        sort: oneOf(sortValues(['created-at']), 'Sort order; a hyphen means descending.'),
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
    },
    'tokens.delete': {
      summary: 'Revoke a token by its id',
      description: 'The caller presents this token, or may create such tokens. The token is rejected within seconds.',
      rule: 'AUTH-11',
    },
  },
} satisfies Group;

const MANAGE_WORKSPACES = 'The caller needs permission to manage workspaces or projects.';

export const reservedTagKeys = {
  name: 'Reserved tag keys',
  description: 'Tag keys whose use an organization governs.',
  response: one(reservedTagKey),
  operations: {
    'reserved-tag-keys.list': { summary: 'List reserved tag keys', rule: 'TAG-20', response: list(reservedTagKey) },
    'reserved-tag-keys.create': { summary: 'Reserve a tag key', description: MANAGE_WORKSPACES, rule: 'TAG-20' },
    'reserved-tag-keys.update': {
      summary: 'Update a reserved tag key',
      description: `Omitted attributes stay unchanged. ${MANAGE_WORKSPACES}`,
      rule: 'TAG-20',
    },
    'reserved-tag-keys.delete': {
      summary: 'Delete a reserved tag key',
      description: `Bindings with the key stay. ${MANAGE_WORKSPACES}`,
      rule: 'TAG-20',
    },
  },
} satisfies Group;

export const tokenTtlPolicies = {
  name: 'Token TTL policies',
  description: 'Limits of the lifetime of tokens, one for each type of tokens.',
  response: list(tokenTtlPolicy),
  operations: {
    'token-ttl-policies.list': {
      summary: 'List the limits of the lifetime of tokens',
      description: 'They are in force while `max-ttl-enabled` of the organization is true.',
      rule: 'AUTH-22',
    },
    'token-ttl-policies.update': {
      summary: 'Set limits of the lifetime of tokens',
      description:
        "Sets `max-ttl-enabled` of the organization to true. The limits hold for tokens that are created afterwards. The caller needs to be an owner, or to use the organization's token.",
      rule: 'AUTH-22',
      body: 'Types of tokens that are left out keep their limit.',
    },
  },
} satisfies Group;
