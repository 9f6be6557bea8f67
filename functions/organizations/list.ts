import { authenticate } from '../../shared/access/authorize/caller.ts';
import { organizationsOf } from '../../shared/access/caller-organizations.ts';
import type { Organization } from '../../shared/domain/directory/records.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { organizationResource } from '../../shared/resources/organizations/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

const byName = (a: { organization: Organization }, b: { organization: Organization }): number =>
  a.organization.name < b.organization.name ? -1 : 1;

/** `GET /organizations`: the organizations of the caller; `q` is a part of the name or e-mail address (ORG-4). */
export const listOrganizations =
  (dependencies: OrganizationDependencies): Operation<'organizations.list'> =>
  async ({ digest, query, url }) => {
    const principal = await authenticate(dependencies.store, digest);
    const text = (query.get('q') ?? '').toLowerCase();
    const rows = (await organizationsOf(dependencies.store, principal))
      .filter(({ organization: { name, email } }) => [name, email].some((it) => it.toLowerCase().includes(text)))
      .sort(byName);
    const page = readPageOf(rows, query);
    return {
      data: slice(rows, page).map((row) => organizationResource({ ...row, features: dependencies.features })),
      ...paginate(page, rows.length, url, query),
    };
  };
