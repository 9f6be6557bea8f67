import { apiRequest } from '../../../shared/client/request.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import type { Group } from '../command.ts';
import { attributesOf, defineView } from '../output/view.ts';
import { text, truth } from '../parameters.ts';
import {
  createCommand,
  defineKind,
  deleteCommand,
  editCommand,
  idsWith,
  type ListQuery,
  listCommand,
  showCommand,
} from '../resource-commands.ts';
import { given, type Settings } from '../settings.ts';

const LIST = '/api/v2/organizations/{organization_name}/reserved-tag-keys';
const ONE = '/api/v2/reserved-tag-keys/{reserved_tag_key_id}';

// No route shows one of them, so that its entity tag is unknown.
const tagKeys = defineKind({
  noun: 'tag-key',
  labels: ['a reserved tag key', 'reserved tag keys'],
  view: defineView(
    ['key', 'disable-overrides'],
    ['id', ...attributesOf<Schemas['ReservedTagKey']>()('key', 'disable-overrides', 'created_at', 'updated_at')],
  ),
  details: ['created_at', 'updated_at', 'id'],
  isId: idsWith('rtk'),
  list: (organization, query: ListQuery<typeof LIST>) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query }),
  routes: { list: 'reserved-tag-keys.list' },
});

const settings = {
  'disable-overrides': truth('Whether workspaces must not override the value of their project. Default: false.'),
} satisfies Settings<Schemas['ReservedTagKeyBody'], 'key'>;

const editable = { key: text('New key.', 'KEY'), ...settings };

/** Reserved tag keys (docs/reference/tags.md). */
export const tagKeyCommands: Group = {
  title: 'Reserved tag keys',
  commands: [
    listCommand(tagKeys, { flags: {}, toQuery: () => ({}) }),
    showCommand(tagKeys, 'environment'),
    createCommand(tagKeys, {
      flags: settings,
      route: 'reserved-tag-keys.create',
      examples: ['environment --disable-overrides true'],
      toRequest: (values, { organization, name }) =>
        apiRequest('post', LIST, {
          path: { organization_name: organization },
          body: { data: { type: 'reserved-tag-keys', attributes: { key: name, ...given(settings, values) } } },
        }),
    }),
    editCommand(tagKeys, {
      flags: editable,
      route: 'reserved-tag-keys.update',
      examples: ['environment --disable-overrides false'],
      toRequest: (values, { id, ifMatch }) =>
        apiRequest(
          'patch',
          ONE,
          {
            path: { reserved_tag_key_id: id },
            body: { data: { type: 'reserved-tag-keys', attributes: given(editable, values) } },
          },
          { ifMatch },
        ),
    }),
    deleteCommand(tagKeys, {
      description: 'Tags with the key stay.',
      route: 'reserved-tag-keys.delete',
      example: 'environment',
      toRequest: (id, ifMatch) => apiRequest('delete', ONE, { path: { reserved_tag_key_id: id } }, { ifMatch }),
    }),
  ],
};
