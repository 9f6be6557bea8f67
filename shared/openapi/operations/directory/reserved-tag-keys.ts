import { type Group, list, one } from '../../operation.ts';
import { reservedTagKey } from '../../resources.ts';

const WHO = 'The caller needs permission to manage workspaces or projects.';

export const reservedTagKeys = {
  name: 'Reserved tag keys',
  description: 'Tag keys whose use an organization governs.',
  operations: {
    'reserved-tag-keys.list': { summary: 'List reserved tag keys', rule: 'TAG-20', response: list(reservedTagKey) },
    'reserved-tag-keys.create': {
      summary: 'Reserve a tag key',
      description: WHO,
      rule: 'TAG-20',
      response: one(reservedTagKey),
    },
    'reserved-tag-keys.update': {
      summary: 'Update a reserved tag key',
      description: `Omitted attributes stay unchanged. ${WHO}`,
      rule: 'TAG-20',
      response: one(reservedTagKey),
    },
    'reserved-tag-keys.delete': {
      summary: 'Delete a reserved tag key',
      description: `Bindings with the key stay. ${WHO}`,
      rule: 'TAG-20',
    },
  },
} satisfies Group;
