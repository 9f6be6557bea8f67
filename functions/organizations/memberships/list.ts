import { authorizeOrganization, isName } from '../../../shared/access/authorize/organization.ts';
import type { User } from '../../../shared/domain/directory/records.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../../shared/jsonapi/pagination.ts';
import { membershipResource } from '../../../shared/resources/organization-memberships/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { readMembershipViews, userReference } from './present.ts';
import { seesMembership } from './visibility.ts';

/** Reads the filter on users from `q` and `filter[email]`; undefined when the query has neither. */
const readUserFilter = (query: URLSearchParams) => {
  const text = (query.get('q') ?? '').toLowerCase();
  const emails = (query.get('filter[email]') ?? '').toLowerCase().split(',').filter(Boolean);
  if (text === '' && emails.length === 0) return undefined;
  return ({ username, email }: Pick<User, 'username' | 'email'>): boolean =>
    [username, email].some((it) => it.toLowerCase().includes(text)) &&
    (emails.length === 0 || emails.includes(email.toLowerCase()));
};

/** `GET /organizations/:organization_name/organization-memberships` (ORG-11) */
export const listMemberships =
  (dependencies: OrganizationDependencies): Operation<'memberships.list'> =>
  async ({ digest, parameters: { organization_name: name }, query, url }) => {
    const { store } = dependencies;
    const page = readPage(query);
    const filter = readUserFilter(query);
    // Every membership is active, because there are no invitations to accept.
    const isEmpty = !['', 'active'].includes(query.get('filter[status]') ?? '');
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
    const views = await readMembershipViews(dependencies, access, slice(rows, page));
    return { data: views.map(membershipResource), ...paginate(page, rows.length, url, query) };
  };
