import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../shared/access/authorize/record.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import type { Caller } from '../../shared/domain/directory/records.ts';
import { invalid, notFound } from '../../shared/domain/errors.ts';
import { checkReservedKey, type ReservedTagKey } from '../../shared/domain/tags/reserved-tag-keys.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { reservedTagKeyRequest } from '../../shared/resources/reserved-tag-keys/attributes.ts';
import { reservedTagKeyResource } from '../../shared/resources/reserved-tag-keys/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** Finds a reserved tag key, and its organization, for a caller who may manage it. */
const authorizeReservedTagKey = async (
  { store, directory }: OrganizationDependencies,
  digest: string,
  id: string,
): Promise<{ readonly caller: Caller; readonly organization: string; readonly reserved: ReservedTagKey }> => {
  const { caller, organization, checked } = await authorizeRecord(
    store,
    digest,
    (consistent) => directory.reservedTagKeys.findPlace(id, consistent),
    (access) => {
      const reserved = access.organization.reservedTagKeys?.find((one) => one.id === id);
      if (reserved === undefined) throw notFound();
      requireOrganizationPermission(access, 'tag.manage');
      return reserved;
    },
  );
  return { caller, organization: organization.name, reserved: checked };
};

type KeyRequest = Pick<OperationRequest<'reserved-tag-keys.update'>, 'digest' | 'parameters'>;

export const reservedTagKeyOperations = {
  /** `GET /organizations/:organization_name/reserved-tag-keys` (TAG-20), by key. */
  'reserved-tag-keys.list': async ({ digest, parameters, query, url }, { store }) => {
    const target = { organization: parameters.organization_name };
    const { reservedTagKeys = [] } = (await authorizeOrganization(store, digest, target)).organization;
    const rows = reservedTagKeys.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    return listDocument(rows, { query, url }, reservedTagKeyResource);
  },

  /** `POST /organizations/:organization_name/reserved-tag-keys` (TAG-20) */
  'reserved-tag-keys.create': async (
    { contextFor, digest, parameters: { organization_name: organization }, body: { data } },
    { store, directory },
  ) => {
    const { key, disableOverrides = false } = reservedTagKeyRequest(data.attributes ?? {});
    const { caller } = await authorizeOrganization(store, digest, { organization }, (access) =>
      requireOrganizationPermission(access, 'tag.manage'),
    );
    if (key === undefined) throw invalid('key', "Key can't be blank");
    checkReservedKey(key);
    const created = directory.reservedTagKeys.create(contextFor(caller), organization, { key, disableOverrides });
    const reserved = await concealNotFound(created);
    return { data: reservedTagKeyResource(reserved) };
  },

  /** `PATCH /reserved-tag-keys/:reserved_tag_key_id` (TAG-20) */
  'reserved-tag-keys.update': async (
    { contextFor, digest, parameters: { reserved_tag_key_id: id }, body: { data } },
    dependencies,
  ) => {
    const fields = reservedTagKeyRequest(data.attributes ?? {});
    const { caller, organization } = await authorizeReservedTagKey(dependencies, digest, id);
    requireSameId(data.id, id);
    if (fields.key !== undefined) checkReservedKey(fields.key);
    const { reservedTagKeys } = dependencies.directory;
    const reserved = await concealNotFound(reservedTagKeys.update(contextFor(caller), organization, id, fields));
    return { data: reservedTagKeyResource(reserved) };
  },

  /** `DELETE /reserved-tag-keys/:reserved_tag_key_id` (TAG-20): bindings with the key stay. */
  'reserved-tag-keys.delete': async ({ contextFor, digest, parameters: { reserved_tag_key_id: id } }, dependencies) => {
    const { caller, organization } = await authorizeReservedTagKey(dependencies, digest, id);
    const { reservedTagKeys } = dependencies.directory;
    await concealNotFound(reservedTagKeys.delete(contextFor(caller), organization, id));
    return undefined;
  },

  /** Shows a reserved tag key, in the response to a repeated request (HTTP-39). */
  'reserved-tag-keys.show': async ({ digest, parameters }: KeyRequest, dependencies) => {
    const { reserved } = await authorizeReservedTagKey(dependencies, digest, parameters.reserved_tag_key_id);
    return { data: reservedTagKeyResource(reserved) };
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
