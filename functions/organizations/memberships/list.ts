import { authorizeOrganization, isName } from '../../../shared/access/authorize/organization.ts';
import { seesMembership } from '../../../shared/access/organization-policy.ts';
import { presentMemberships, userReference } from '../../../shared/documents/membership-documents.ts';
import type { Membership, User } from '../../../shared/domain/directory/records.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../../shared/jsonapi/pagination.ts';
import { membershipStatuses } from '../../../shared/resources/organization-memberships/attributes.ts';
import type { OrganizationDependencies } from '../dependencies.ts';

/** Reads the filter on users from `q` and `filter[email]`; undefined when the query has neither. */
const readUserFilter = (query: URLSearchParams) => {
  const text = (query.get('q') ?? '').toLowerCase();
  const emails = (query.get('filter[email]') ?? '').toLowerCase().split(',').filter(Boolean);
  if (text === '' && emails.length === 0) return undefined;
  return ({ username, email }: Pick<User, 'username' | 'email'>): boolean =>
    [username, email].some((it) => it.toLowerCase().includes(text)) &&
    (emails.length === 0 || emails.includes(email.toLowerCase()));
};

/** Reads `filter[status]`; undefined without it. @throws DomainError 400 for an unknown status. */
const readStatus = (query: URLSearchParams): (typeof membershipStatuses)[number] | undefined => {
  const parameter = 'filter[status]';
  const text = query.get(parameter) || undefined;
  const status = membershipStatuses.find((one) => one === text);
  if (status === text) return status;
  throw new DomainError('bad-request', `${parameter} must be one of: ${membershipStatuses.join(', ')}`, {
    source: { parameter },
  });
};

/** `GET /organizations/:organization_name/organization-memberships` (ORG-11) */
export const listMemberships =
  (dependencies: OrganizationDependencies): Operation<'memberships.list'> =>
  async ({ digest, parameters: { organization_name: name }, query, include, url }) => {
    const { store } = dependencies;
    const page = readPage(query);
    const filter = readUserFilter(query);
    const status = readStatus(query);
    const [access, members] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      isName(name) ? store.memberships.list(name) : [],
    ]);
    const seen = members.filter((membership) => seesMembership(access, membership));
    const candidates = status === 'invited' ? seen.filter(({ invited }) => invited) : seen;
    // Only users who were invited once can be invited now.
    const isTested = ({ invited }: Membership): boolean =>
      filter !== undefined || (status !== undefined && invited === true);
    const found = await store.records.find(candidates.filter(isTested).map(userReference));
    const rows = candidates.filter((membership) => {
      const user = found('user', membership.user);
      if (!isTested(membership)) return true;
      if (user === undefined || filter?.(user) === false) return false;
      return status === undefined || (status === 'invited') === (user.invited === true);
    });
    const presented = await presentMemberships(store, access, slice(rows, page), include);
    return { ...presented, ...paginate(page, rows.length, url, query) };
  };
