import { createHandler } from '../../shared/http/stack.ts';
import { membership, organization, token } from '../../shared/schemas/compiled/bodies.js';
import { createOrganization } from './create.ts';
import { deleteOrganization } from './delete.ts';
import { listOrganizations } from './list.ts';
import { createMembership } from './memberships/create.ts';
import { deleteMembership } from './memberships/delete.ts';
import { listMemberships } from './memberships/list.ts';
import { showMembership } from './memberships/show.ts';
import { openOrganizationServices } from './services.ts';
import { showOrganization } from './show.ts';
import { showEntitlements } from './show-entitlements.ts';
import {
  createAdditionalTeamToken,
  createOrganizationToken,
  createTeamToken,
  createUserToken,
} from './tokens/create.ts';
import { deleteOrganizationToken, deleteTeamToken, deleteToken } from './tokens/delete.ts';
import { listTeamTokens, listUserTokens } from './tokens/list.ts';
import { showOrganizationToken, showTeamToken, showToken } from './tokens/show.ts';
import { updateOrganization } from './update.ts';
import { showUser } from './users/show.ts';
import { showAccount } from './users/show-account.ts';

const services = openOrganizationServices();

/** Organizations, who belongs to them, and the tokens by which callers authenticate. */
export const handler = createHandler(
  'organizations',
  {
    'organizations.list': listOrganizations(services),
    'organizations.create': createOrganization(services),
    'organizations.show': showOrganization(services),
    'organizations.update': updateOrganization(services),
    'organizations.delete': deleteOrganization(services),
    'organizations.entitlements': showEntitlements(services),
    'memberships.list': listMemberships(services),
    'memberships.create': createMembership(services),
    'memberships.show': showMembership(services),
    'memberships.delete': deleteMembership(services),
    'users.account': showAccount(services),
    'users.show': showUser(services),
    'organization-token.create': createOrganizationToken(services),
    'organization-token.show': showOrganizationToken(services),
    'organization-token.delete': deleteOrganizationToken(services),
    'team-token.create': createTeamToken(services),
    'team-token.show': showTeamToken(services),
    'team-token.delete': deleteTeamToken(services),
    'team-tokens.list': listTeamTokens(services),
    'team-tokens.create': createAdditionalTeamToken(services),
    'user-tokens.list': listUserTokens(services),
    'user-tokens.create': createUserToken(services),
    'tokens.show': showToken(services),
    'tokens.delete': deleteToken(services),
  },
  { ...services, validators: { membership, organization, token } },
);
