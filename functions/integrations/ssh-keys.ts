import { invalid } from '../../shared/domain/errors.ts';
import { preloadEncryption } from '../../shared/encryption/encrypt.ts';
import { sshKeyRequest } from '../../shared/resources/ssh-keys/request-mapping.ts';
import { sshKeyResource } from '../../shared/resources/ssh-keys/response.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { type OperationsOf, recordOperations } from './record-operations.ts';

/** Operations on SSH keys (SSH-3). The private key is encrypted before it is stored; no function can decrypt it (SSH-4). */
export const sshKeys = (dependencies: IntegrationDependencies): OperationsOf<'ssh-keys'> => {
  const { encrypt } = dependencies;
  const keys = recordOperations(dependencies, {
    kind: 'sshKey',
    read: 'ssh-key.read',
    manage: 'ssh-key.manage',
    resource: sshKeyResource,
  });
  return {
    'ssh-keys.list': keys.list,
    'ssh-keys.show': ({ digest, parameters }) => keys.show(digest, parameters.ssh_key_id),
    'ssh-keys.create': ({ contextFor, digest, parameters: { organization_name: organization }, body: { data } }) => {
      preloadEncryption();
      return keys.create({ contextFor, digest }, organization, async (_, sshKey) => {
        const { name, value, ...fields } = sshKeyRequest(data.attributes ?? {});
        if (name === undefined) throw invalid('name', "Name can't be blank");
        if (value === undefined) throw invalid('value', "Value can't be blank");
        return { name, ...fields, encryptedKey: await encrypt(value, { organization, sshKey }) };
      });
    },
    'ssh-keys.update': async ({ contextFor, digest, parameters: { ssh_key_id: sshKey }, body: { data } }) => {
      const { name: newName, value, ...fields } = sshKeyRequest(data.attributes ?? {});
      if (value !== undefined) preloadEncryption();
      const key = await keys.update({ contextFor, digest }, sshKey, data, async ({ organization }) => ({
        newName,
        fields: {
          ...fields,
          ...(value !== undefined && { encryptedKey: await encrypt(value, { organization, sshKey }) }),
        },
      }));
      return { data: sshKeyResource(key) };
    },
    'ssh-keys.delete': ({ contextFor, digest, parameters }) =>
      keys.remove({ contextFor, digest }, parameters.ssh_key_id),
  };
};
