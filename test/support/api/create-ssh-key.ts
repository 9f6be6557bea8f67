import type { SshKey } from '../../../shared/domain/directory/records.ts';
import type { DirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import type { Api } from './api.ts';

/** Creates an SSH key over HTTP. */
export const createSshKey = async (
  { request }: Pick<Api, 'request'>,
  token: string,
  organization: string,
  name: string,
): Promise<{ readonly id: string }> => {
  const body = { data: { type: 'ssh-keys', attributes: { name, value: `key of ${name}` } } };
  const made = await request('POST', `/organizations/${organization}/ssh-keys`, { token, body });
  if (made.status !== 201) throw new Error(`No SSH key: ${JSON.stringify(made.body)}`);
  return { id: made.body.data.id };
};

/** Creates an SSH key in the store, with a placeholder instead of the encrypted value. */
export const storeSshKey = async (
  { records }: DirectoryWriter,
  organization: string,
  name: string,
): Promise<SshKey> => {
  const fields = { organization, name, encryptedKey: new TextEncoder().encode('sealed') };
  return (await records.create(serviceRequest('test'), 'sshKey', fields)).record;
};
