import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../shared/access/authorize/record.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import type { Caller } from '../../shared/domain/directory/records.ts';
import { invalid, notFound } from '../../shared/domain/errors.ts';
import { checkReservedKey } from '../../shared/domain/tags/reserved-tag-keys.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { reservedTagKeyRequest } from '../../shared/resources/reserved-tag-keys/request-mapping.ts';
import { reservedTagKeyResource } from '../../shared/resources/reserved-tag-keys/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** `GET /organizations/:organization_name/reserved-tag-keys` (TAG-20), by key. */
export const listReservedTagKeys =
  ({ store }: OrganizationDependencies): Operation<'reserved-tag-keys.list'> =>
  async ({ digest, parameters, query, url }) => {
    const target = { organization: parameters.organization_name };
    const { reservedTagKeys = [] } = (await authorizeOrganization(store, digest, target)).organization;
    const rows = reservedTagKeys.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const page = readPageOf(rows, query);
    return { data: slice(rows, page).map(reservedTagKeyResource), ...paginate(page, rows.length, url, query) };
  };

/** `POST /organizations/:organization_name/reserved-tag-keys` (TAG-20) */
export const createReservedTagKey =
  ({ store, directoryFor }: OrganizationDependencies): Operation<'reserved-tag-keys.create'> =>
  async ({ contextFor, digest, parameters: { organization_name: organization }, body: { data } }) => {
    const { key, disableOverrides = false } = reservedTagKeyRequest(data.attributes ?? {});
    const { caller } = await authorizeOrganization(store, digest, { organization }, (access) =>
      requireOrganizationPermission(access, 'tag.manage'),
    );
    if (key === undefined) throw invalid('key', "Key can't be blank");
    checkReservedKey(key);
    const directory = directoryFor(contextFor(caller));
    const reserved = await concealNotFound(directory.createReservedTagKey(organization, { key, disableOverrides }));
    return { data: reservedTagKeyResource(reserved) };
  };

/** Finds the organization of a reserved tag key for a caller who may manage it, and returns both. */
const authorizeReservedTagKey = async (
  { store, directory }: OrganizationDependencies,
  digest: string,
  id: string,
): Promise<{ readonly caller: Caller; readonly organization: string }> => {
  const { caller, organization } = await authorizeRecord(
    store,
    digest,
    (consistent) => directory.findReservedTagKeyPlace(id, consistent),
    (access) => {
      const isReserved = access.organization.reservedTagKeys?.some((reserved) => reserved.id === id);
      if (!isReserved) throw notFound();
      requireOrganizationPermission(access, 'tag.manage');
    },
  );
  return { caller, organization: organization.name };
};

/** `PATCH /reserved-tag-keys/:reserved_tag_key_id` (TAG-20) */
export const updateReservedTagKey =
  (dependencies: OrganizationDependencies): Operation<'reserved-tag-keys.update'> =>
  async ({ contextFor, digest, parameters: { reserved_tag_key_id: id }, body: { data } }) => {
    const fields = reservedTagKeyRequest(data.attributes ?? {});
    const { caller, organization } = await authorizeReservedTagKey(dependencies, digest, id);
    requireSameId(data.id, id);
    if (fields.key !== undefined) checkReservedKey(fields.key);
    const directory = dependencies.directoryFor(contextFor(caller));
    const reserved = await concealNotFound(directory.updateReservedTagKey(organization, id, fields));
    return { data: reservedTagKeyResource(reserved) };
  };

/** `DELETE /reserved-tag-keys/:reserved_tag_key_id` (TAG-20): bindings with the key stay. */
export const deleteReservedTagKey =
  (dependencies: OrganizationDependencies): Operation<'reserved-tag-keys.delete'> =>
  async ({ contextFor, digest, parameters: { reserved_tag_key_id: id } }) => {
    const { caller, organization } = await authorizeReservedTagKey(dependencies, digest, id);
    await concealNotFound(dependencies.directoryFor(contextFor(caller)).deleteReservedTagKey(organization, id));
    return undefined;
  };
