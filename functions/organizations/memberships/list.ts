import { authorizeOrganization, isName } from '../../../shared/access/authorize/organization.ts';
import { seesMembership } from '../../../shared/access/organization-policy.ts';
import { presentMemberships, userReference } from '../../../shared/documents/membership-documents.ts';
import type { User } from '../../../shared/domain/directory/records.ts';
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

/**
 * Checks whether the list is empty whatever else the query has: nobody is invited, because invitations are not accepted.
 * @throws DomainError 400 for an unknown status.
 */
const readsNobody = (query: URLSearchParams): boolean => {
  const parameter = 'filter[status]';
  const status = query.get(parameter) || 'active';
  if ((membershipStatuses as readonly string[]).includes(status)) return status !== 'active';
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
    const isEmpty = readsNobody(query);
    const [access, members] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      isName(name) ? store.findMembers(name) : [],
    ]);
    let rows = isEmpty ? [] : members.filter((membership) => seesMembership(access, membership));
    if (filter !== undefined) {
      const found = await store.findRecords(rows.map(userReference));
      rows = rows.filter(({ user: id }) => {
        const user = found('user', id);
        return user !== undefined && filter(user);
      });
    }
    const presented = await presentMemberships(store, access, slice(rows, page), include);
    return { ...presented, ...paginate(page, rows.length, url, query) };
  };
