import {
  listTokenTtlPolicies,
  listUserTokens,
  type OrganizationTokenKind,
  showOrganizationToken,
} from '../../../../shared/client/tokens.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of the tokens of a user. */
export const userTokensQuery = (user: string) => apiQuery(listUserTokens(user));

/** Builds the query of the token of an organization. Without one, it fails with 404. */
export const organizationTokenQuery = (organization: string, kind: OrganizationTokenKind) =>
  apiQuery(showOrganizationToken(organization, kind));

/** Builds the query of the limits of the lifetime of tokens. */
export const tokenTtlPoliciesQuery = (organization: string) => apiQuery(listTokenTtlPolicies(organization));
