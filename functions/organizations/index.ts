import { createHandler } from '../../shared/http/stack.ts';
import { account, membership, organization, reservedTagKey, token } from '../../shared/validators/compiled/bodies.js';
import { openOrganizationServices } from './dependencies.ts';
import { createMembership, deleteMembership, listMemberships, showMembership } from './memberships.ts';
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  showCreatedOrganization,
  showEntitlements,
  showOrganization,
  updateOrganization,
} from './organizations.ts';
import {
  createReservedTagKey,
  deleteReservedTagKey,
  listReservedTagKeys,
  showReservedTagKey,
  updateReservedTagKey,
} from './reserved-tag-keys.ts';
import {
  createAdditionalTeamToken,
  createOrganizationToken,
  createPoolToken,
  createTeamToken,
  createUserToken,
  deleteOrganizationToken,
  deleteTeamToken,
  deleteToken,
  listPoolTokens,
  listTeamTokens,
  listTokensOfTeams,
  listUserTokens,
  showOrganizationToken,
  showTeamToken,
  showToken,
} from './tokens.ts';
import { showAccount, showUser, updateAccount } from './users.ts';

const dependencies = openOrganizationServices();

/** Lambda handler of organizations, memberships, users and tokens. */
export const handler = createHandler(
  'organizations',
  {
    'organizations.list': listOrganizations(dependencies),
    'organizations.create': createOrganization(dependencies),
    'organizations.show': showOrganization(dependencies),
    'organizations.update': updateOrganization(dependencies),
    'organizations.delete': deleteOrganization(dependencies),
    'organizations.entitlements': showEntitlements(dependencies),
    'reserved-tag-keys.list': listReservedTagKeys(dependencies),
    'reserved-tag-keys.create': createReservedTagKey(dependencies),
    'reserved-tag-keys.update': updateReservedTagKey(dependencies),
    'reserved-tag-keys.delete': deleteReservedTagKey(dependencies),
    'memberships.list': listMemberships(dependencies),
    'memberships.create': createMembership(dependencies),
    'memberships.show': showMembership(dependencies),
    'memberships.delete': deleteMembership(dependencies),
    'users.account': showAccount(dependencies),
    'users.update-account': updateAccount(dependencies),
    'users.show': showUser(dependencies),
    'organization-token.create': createOrganizationToken(dependencies),
    'organization-token.show': showOrganizationToken(dependencies),
    'organization-token.delete': deleteOrganizationToken(dependencies),
    'team-token.create': createTeamToken(dependencies),
    'team-token.show': showTeamToken(dependencies),
    'team-token.delete': deleteTeamToken(dependencies),
    'team-tokens.list': listTeamTokens(dependencies),
    'team-tokens.create': createAdditionalTeamToken(dependencies),
    'organization-team-tokens.list': listTokensOfTeams(dependencies),
    'agent-pool-tokens.list': listPoolTokens(dependencies),
    'agent-pool-tokens.create': createPoolToken(dependencies),
    'user-tokens.list': listUserTokens(dependencies),
    'user-tokens.create': createUserToken(dependencies),
    'tokens.show': showToken(dependencies),
    'tokens.delete': deleteToken(dependencies),
  },
  {
    ...dependencies,
    validators: { account, membership, organization, reservedTagKey, token },
    shows: {
      'organizations.show-created': showCreatedOrganization(dependencies),
      'reserved-tag-keys.show': showReservedTagKey(dependencies),
    },
  },
);
