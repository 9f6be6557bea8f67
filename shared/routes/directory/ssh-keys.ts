import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/ssh-keys` as const;
const byId = `${BASE_PATH}/ssh-keys/{ssh_key_id}` as const;

/** SSH keys (docs/reference/ssh-keys.md). */
export const sshKeys = {
  'ssh-keys.list': { method: 'GET', path: ofOrganization, function: 'integrations', status: 200 },
  'ssh-keys.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'integrations',
    status: 201,
    body: { schema: 'sshKey', required: true },
  },
  'ssh-keys.show': { method: 'GET', path: byId, function: 'integrations', status: 200 },
  'ssh-keys.update': {
    method: 'PATCH',
    path: byId,
    function: 'integrations',
    status: 200,
    conditional: true,
    body: { schema: 'sshKey', required: true },
  },
  'ssh-keys.delete': { method: 'DELETE', path: byId, function: 'integrations', status: 204, conditional: true },
} as const satisfies Routes;
