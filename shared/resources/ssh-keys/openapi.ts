import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const sshKey = resource('SshKey', {
  type: 'ssh-keys',
  description: 'A key for fetching modules. Responses never contain the private key.',
  id: id(prefixes.sshKey),
  attributes: responseProperties(attributes),
  links: { self: path(`${BASE_PATH}/ssh-keys/sshkey-CvpbqPPtsWSnyrTk`) },
});
