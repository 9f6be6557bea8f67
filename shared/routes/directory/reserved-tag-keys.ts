import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/reserved-tag-keys` as const;
const byId = `${BASE_PATH}/reserved-tag-keys/{reserved_tag_key_id}` as const;

const body = { schema: 'reservedTagKey', required: true } as const;

/** Reserved tag keys (docs/reference/tags.md). */
export const reservedTagKeys = {
  'reserved-tag-keys.list': { method: 'GET', path: ofOrganization, function: 'organizations', status: 200 },
  'reserved-tag-keys.create': { method: 'POST', path: ofOrganization, function: 'organizations', status: 201, body },
  'reserved-tag-keys.update': {
    method: 'PATCH',
    path: byId,
    function: 'organizations',
    status: 200,
    body,
    conditional: true,
  },
  'reserved-tag-keys.delete': {
    method: 'DELETE',
    path: byId,
    function: 'organizations',
    status: 204,
    conditional: true,
  },
} as const satisfies Routes;
