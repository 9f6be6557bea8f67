import { sshKey } from '../../resources/ssh-keys/openapi.ts';
import type { sshKeys as routes } from '../../routes/ssh-keys.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, list, one } from '../operation.ts';

const WHO = 'The caller needs permission to manage VCS settings.';

export const sshKeys: Group<keyof typeof routes> = {
  name: 'SSH keys',
  description:
    'Keys for fetching modules, assigned to workspaces. A token of an organization has nothing to do with them.',
  operations: {
    'ssh-keys.list': {
      summary: 'List SSH keys',
      rule: 'SSH-3',
      query: { q: { description: 'A part of the name, in any case.', schema: text() } },
      answers: list(sshKey),
    },
    'ssh-keys.create': {
      summary: 'Create an SSH key',
      description: WHO,
      rule: 'SSH-4',
      answers: one(sshKey),
    },
    'ssh-keys.show': { summary: 'Show an SSH key', rule: 'SSH-3', answers: one(sshKey) },
    'ssh-keys.update': {
      summary: 'Update an SSH key',
      description: `What the body leaves out stays as it is. ${WHO}`,
      rule: 'SSH-3',
      answers: one(sshKey),
    },
    'ssh-keys.delete': {
      summary: 'Delete an SSH key',
      description: `It is unassigned everywhere. ${WHO}`,
      rule: 'SSH-5',
    },
  },
};
