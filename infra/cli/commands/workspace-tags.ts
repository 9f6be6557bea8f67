import { apiRequest } from '../../../shared/client/request.ts';
import { addTagBindings, addTags, removeTags, replaceTagBindings } from '../../../shared/client/workspaces.ts';
import { command, type Group } from '../command.ts';
import { forEachItem } from '../for-each-item.ts';
import { defineView, flatten } from '../output/view.ts';
import { remainingArguments } from '../parameters.ts';
import { projects } from './project-rows.ts';
import { formatTag, parseTag, type Tag } from './tags.ts';
import { pipedWorkspaceArgument, workspaceArgument } from './workspace-rows.ts';

const tagView = defineView(['tag', 'inherited-from', 'created-at'], ['key', 'value', 'id', 'inherited-from-id']);

const listOwn = (id: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/tag-bindings', { path: { workspace_id: id } });
const listEffective = (id: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/effective-tag-bindings', { path: { workspace_id: id } });

const listCommand = command({
  name: 'ws tag list',
  summary: 'List the tags of a workspace, with those that it inherits from its project',
  arguments: { workspace: workspaceArgument },
  routes: [
    'workspaces.show-by-name',
    'workspaces.show',
    'tag-bindings.list',
    'effective-tag-bindings.list',
    'projects.show',
  ],
  result: { kind: 'list', view: tagView },
  examples: ['ws tag list network'],
  async *run(invocation, args) {
    const { id, resource } = await invocation.workspace(args.workspace);
    const own = (await invocation.api.send(listOwn(id))).document.data;
    const effective = (await invocation.api.send(listEffective(id))).document.data;
    const inherited = effective.filter(({ relationships }) => relationships !== undefined);
    for (const binding of own) yield { ...flatten(binding), tag: formatTag(binding.attributes) };
    if (inherited.length === 0) return;
    const project = await projects.find(invocation, resource.relationships.project.data.id);
    for (const binding of inherited) {
      yield { ...flatten(binding), tag: formatTag(binding.attributes), 'inherited-from': project.name };
    }
  },
});

/** The tags that a command has added to a workspace, or removed from it. */
const changeView = defineView(['name', 'tags'], ['id']);

const addCommand = command({
  name: 'ws tag add',
  summary: 'Add tags to workspaces, or change their values',
  arguments: {
    workspace: pipedWorkspaceArgument,
    tag: remainingArguments('KEY, or KEY=VALUE, which replaces another value of the key.'),
  },
  routes: ['workspaces.show-by-name', 'workspaces.show', 'workspace-tags.add', 'tag-bindings.add'],
  result: { kind: 'changes', view: changeView, sentence: ({ name, tags }) => `Tagged ${name} with ${join(tags)}.` },
  examples: ['ws tag add network core env=prod', 'ws list --project Platform | holdfast ws tag add - core'],
  errors: { rejected: 'A tag is not valid, is reserved, or is a key with a value.' },
  async *run(invocation, { workspace: names, tag: texts }) {
    const tags = texts.map(parseTag);
    const flat = tags.flatMap(({ key, value }) => (value === undefined ? [key] : []));
    const bindings = tags.flatMap(({ key, value }) => (value === undefined ? [] : [{ key, value }]));
    return yield* forEachItem(invocation, names, async (argument) => {
      const { id, name } = await invocation.workspace(argument);
      if (flat.length > 0) await invocation.api.send(addTags(id, flat));
      if (bindings.length > 0) await invocation.api.send(addTagBindings(id, bindings));
      return { name, id, tags: tags.map(formatTag) };
    });
  },
});

const join = (tags: unknown): string => (tags as readonly string[]).join(', ');

const isNamedBy =
  (present: { readonly key: string; readonly value: string }) =>
  ({ key, value }: Tag): boolean =>
    key === present.key && (value === undefined || value === present.value);

const removeCommand = command({
  name: 'ws tag remove',
  summary: 'Remove tags from workspaces',
  description: 'Tags that a workspace does not have are ignored. Inherited tags are removed from the project.',
  arguments: {
    workspace: pipedWorkspaceArgument,
    tag: remainingArguments('KEY, or KEY=VALUE to remove the key only with this value.'),
  },
  routes: [
    'workspaces.show-by-name',
    'workspaces.show',
    'tag-bindings.list',
    'workspace-tags.remove',
    'tag-bindings.replace-related',
  ],
  result: {
    kind: 'changes',
    view: changeView,
    sentence: ({ name, tags }) =>
      join(tags) === '' ? `${name} has none of these tags.` : `Removed ${join(tags)} from ${name}.`,
  },
  examples: ['ws tag remove network core env', 'ws list --tag core | holdfast ws tag remove - core'],
  errors: { conflict: 'Somebody else has changed the workspace in the meantime. Nothing was changed.' },
  async *run(invocation, { workspace: names, tag: texts }) {
    const tags = texts.map(parseTag);
    const { api } = invocation;
    return yield* forEachItem(invocation, names, async (argument) => {
      const { id, name, etag } = await invocation.workspace(argument);
      const own = (await api.lookUp(listOwn(id))).document.data.map(({ attributes }) => attributes);
      const removed = own.filter((present) => tags.some(isNamedBy(present)));
      const flat = removed.filter(({ value }) => value === '').map(({ key }) => key);
      // The API has no removal of a tag with a value, so the others replace all of them. That needs the revision that was read,
      // which the removal of flat tags would change.
      if (removed.length > flat.length) {
        const others = own.filter((present) => present.value !== '' && !removed.includes(present));
        await api.send(replaceTagBindings(id, others, etag));
      }
      if (flat.length > 0) await api.send(removeTags(id, flat));
      return { name, id, tags: removed.map(formatTag) };
    });
  },
});

/** Tags of workspaces (docs/concepts/tags.md). */
export const workspaceTagCommands: Group = {
  title: 'Tags of workspaces',
  commands: [listCommand, addCommand, removeCommand],
};
