import { createSshKey, showSshKey } from '../../../shared/client/integrations.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import type { Group } from '../command.ts';
import { attributesOf, defineView } from '../output/view.ts';
import { text } from '../parameters.ts';
import { readSecret, secretFile } from '../read-secret.ts';
import {
  createCommand,
  defineKind,
  deleteCommand,
  editCommand,
  idsWith,
  type ListQuery,
  listCommand,
  searchFlag,
  showCommand,
  toSearch,
} from '../resource-commands.ts';
import { given, type Settings } from '../settings.ts';

const LIST = '/api/v2/organizations/{organization_name}/ssh-keys';
const ONE = '/api/v2/ssh-keys/{ssh_key_id}';

/** SSH keys of an organization, for other commands that take their names. */
export const sshKeys = defineKind({
  noun: 'ssh-key',
  labels: ['an SSH key', 'SSH keys'],
  view: defineView(['name', 'id'], attributesOf<Schemas['SshKey']>()('name')),
  isId: idsWith('sshkey'),
  list: (organization, query: ListQuery<typeof LIST>) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query }),
  show: showSshKey,
  routes: { list: 'ssh-keys.list', show: 'ssh-keys.show' },
});

// Another private key is another SSH key.
const settings = { name: text('New name.', 'NAME') } satisfies Settings<Schemas['SshKeyUpdateBody'], 'value'>;

/** SSH keys (docs/reference/ssh-keys.md). */
export const sshKeyCommands: Group = {
  title: 'SSH keys',
  commands: [
    listCommand(sshKeys, { flags: searchFlag, toQuery: toSearch }),
    showCommand(sshKeys, 'deploy'),
    createCommand(sshKeys, {
      description: 'The private key comes from --file or standard input. No command can print it again.',
      flags: { file: secretFile('private key') },
      route: 'ssh-keys.create',
      examples: ['deploy --file ~/.ssh/deploy', 'deploy < ~/.ssh/deploy'],
      toRequest: async ({ file }, { invocation, organization, name }) =>
        createSshKey(organization, { name, value: await readSecret(invocation, 'private key', file) }),
    }),
    editCommand(sshKeys, {
      flags: settings,
      route: 'ssh-keys.update',
      examples: ['deploy --name modules'],
      toRequest: (values, { id, ifMatch }) =>
        apiRequest(
          'patch',
          ONE,
          { path: { ssh_key_id: id }, body: { data: { type: 'ssh-keys', attributes: given(settings, values) } } },
          { ifMatch },
        ),
    }),
    deleteCommand(sshKeys, {
      description: 'Every workspace that has the key loses it.',
      route: 'ssh-keys.delete',
      example: 'deploy',
      toRequest: (id, ifMatch) => apiRequest('delete', ONE, { path: { ssh_key_id: id } }, { ifMatch }),
    }),
  ],
};
