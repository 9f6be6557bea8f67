import type { SshKey } from '../../domain/directory/records.ts';
import type { Resource } from '../../jsonapi/document.ts';

/** Contract 8: the key itself is never answered. */
export const sshKeyResource = ({ id, name }: SshKey): Resource => ({
  id,
  type: 'ssh-keys',
  attributes: { name },
  links: { self: `/api/v2/ssh-keys/${id}` },
});
