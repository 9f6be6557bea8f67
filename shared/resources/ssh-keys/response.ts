import type { SshKey } from '../../domain/directory/records.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';

/** Builds the resource of an SSH key, which never contains the key itself (SSH-4). */
export const sshKeyResource = ({ id, name }: SshKey): Resource => ({
  id,
  type: 'ssh-keys',
  attributes: { name },
  links: { self: `${BASE_PATH}/ssh-keys/${id}` },
});
