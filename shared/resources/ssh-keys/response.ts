import type { SshKey } from '../../domain/directory/records.ts';
import type { Resource } from '../../jsonapi/document.ts';

/** Builds the resource of an SSH key, which never contains the key itself (SSH-4). */
export const sshKeyResource = ({ id, name }: SshKey): Resource => ({
  id,
  type: 'ssh-keys',
  attributes: { name },
  links: { self: `/api/v2/ssh-keys/${id}` },
});
