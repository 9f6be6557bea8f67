import { invalid } from '../../shared/domain/errors.ts';
import { preloadEncryption } from '../../shared/encryption/encrypt.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { sshKeyRequest } from '../../shared/resources/ssh-keys/attributes.ts';
import { sshKeyResource } from '../../shared/resources/ssh-keys/response.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { recordOperations } from './record-operations.ts';

const keys = recordOperations({
  kind: 'sshKey',
  read: 'ssh-key.read',
  manage: 'ssh-key.manage',
  resource: sshKeyResource,
});

/** Operations on SSH keys (SSH-3). The private key is encrypted before it is stored; no function can decrypt it (SSH-4). */
export const sshKeyOperations = {
  'ssh-keys.list': keys.list,
  'ssh-keys.show': (request, dependencies) => keys.show(request, dependencies, request.parameters.ssh_key_id),
  'ssh-keys.create': (request, dependencies) => {
    preloadEncryption();
    const { organization_name: organization } = request.parameters;
    return keys.create(request, dependencies, organization, async (_, sshKey) => {
      const { name, value, ...fields } = sshKeyRequest(request.body.data.attributes ?? {});
      if (name === undefined) throw invalid('name', "Name can't be blank");
      if (value === undefined) throw invalid('value', "Value can't be blank");
      return { name, ...fields, encryptedKey: await dependencies.encrypt(value, { organization, sshKey }) };
    });
  },
  'ssh-keys.update': async (request, dependencies) => {
    const { data } = request.body;
    const { name: newName, value, ...fields } = sshKeyRequest(data.attributes ?? {});
    if (value !== undefined) preloadEncryption();
    const { ssh_key_id: sshKey } = request.parameters;
    const key = await keys.update(request, dependencies, sshKey, data, async ({ organization }) => ({
      newName,
      fields: {
        ...fields,
        ...(value !== undefined && { encryptedKey: await dependencies.encrypt(value, { organization, sshKey }) }),
      },
    }));
    return { data: sshKeyResource(key) };
  },
  'ssh-keys.delete': (request, dependencies) => keys.remove(request, dependencies, request.parameters.ssh_key_id),
} satisfies Partial<Operations<'integrations', IntegrationDependencies>>;
