import type { SshKey } from '../../domain/directory/records.ts';
import { REVISED, type Resource } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of an SSH key, which never contains the key itself (SSH-4). */
export const sshKeyResource = ({ id, name, revision }: SshKey): Resource => {
  const values: ComputedValues<typeof attributes> = { name };
  return {
    id,
    [REVISED]: { id, revision },
    type: 'ssh-keys',
    attributes: values,
    links: { self: `${BASE_PATH}/ssh-keys/${id}` },
  };
};
