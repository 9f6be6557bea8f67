import { prefixes } from '../../domain/ids.ts';
import { resource } from '../../schemas/resource-schema.ts';
import { id, path, text } from '../../schemas/schema.ts';

export const sshKey = resource('SshKey', {
  type: 'ssh-keys',
  description: 'A key for fetching modules. The private key is never answered.',
  id: id(prefixes.sshKey),
  attributes: { name: text() },
  links: { self: path('/api/v2/ssh-keys/sshkey-CvpbqPPtsWSnyrTk') },
});
