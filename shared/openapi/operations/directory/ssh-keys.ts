import { text } from '../../../schemas/schema.ts';
import { type Group, list, one } from '../../operation.ts';
import { sshKey } from '../../resources.ts';

const WHO = 'The caller needs permission to manage VCS settings.';

export const sshKeys = {
  name: 'SSH keys',
  description: 'Keys for fetching modules, assigned to workspaces. Organization tokens cannot read or assign SSH keys.',
  operations: {
    'ssh-keys.list': {
      summary: 'List SSH keys',
      rule: 'SSH-3',
      query: { q: { description: 'Part of the name, ignoring case.', schema: text() } },
      response: list(sshKey),
    },
    'ssh-keys.create': {
      summary: 'Create an SSH key',
      description: WHO,
      rule: 'SSH-4',
      response: one(sshKey),
    },
    'ssh-keys.show': { summary: 'Show an SSH key', rule: 'SSH-3', response: one(sshKey) },
    'ssh-keys.update': {
      summary: 'Update an SSH key',
      description: `Omitted attributes stay unchanged. ${WHO}`,
      rule: 'SSH-3',
      response: one(sshKey),
    },
    'ssh-keys.delete': {
      summary: 'Delete an SSH key',
      description: `Also unassigns the key from all workspaces. ${WHO}`,
      rule: 'SSH-5',
    },
  },
} satisfies Group;
