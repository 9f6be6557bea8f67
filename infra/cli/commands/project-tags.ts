import { addProjectTagBindings, replaceProjectTagBindings } from '../../../shared/client/projects.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import { command, type Group } from '../command.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { remainingArguments } from '../parameters.ts';
import { projects } from './project-rows.ts';
import { formatTag, parseBinding } from './tags.ts';

type TagBinding = Schemas['TagBinding'];

const view = defineView(
  ['key', 'value', 'created-at'],
  ['id', ...attributesOf<TagBinding>()('key', 'value', 'created-at')],
);

// A project has so few tags that the list is always complete (HTTP-24).
const listTags = (id: string) =>
  apiRequest('get', '/api/v2/projects/{project_id}/tag-bindings', { path: { project_id: id } });

/** Tags of projects (docs/reference/projects.md). */
export const projectTagCommands: Group = {
  title: 'Tags of projects, which their workspaces inherit',
  commands: [
    command({
      name: 'project tag list',
      summary: 'List the tags of a project',
      arguments: { project: projects.argument },
      routes: ['projects.list', 'projects.list-bindings'],
      result: { kind: 'list', view },
      examples: ['project tag list Platform'],
      async *run(invocation, { project }) {
        const { document } = await invocation.api.send(listTags(await projects.findId(invocation, project)));
        yield* document.data.map(flatten);
      },
    }),
    command({
      name: 'project tag add',
      summary: 'Add tags to a project, or change their values',
      description: 'Tags of projects have values.',
      arguments: { project: projects.argument, tag: remainingArguments('KEY=VALUE.') },
      routes: ['projects.list', 'projects.add-bindings'],
      result: { kind: 'changes', view, sentence: (row) => `Added ${formatTag(row as never)}.` },
      examples: ['project tag add Platform cost-center=42 environment=production'],
      async *run(invocation, { project, tag }) {
        const tags = tag.map(parseBinding);
        const id = await projects.findId(invocation, project);
        const { document } = await invocation.api.send(addProjectTagBindings(id, tags));
        const added = document.data.filter(({ attributes }) => tags.some(({ key }) => key === attributes.key));
        yield* added.map(flatten);
      },
    }),
    command({
      name: 'project tag remove',
      summary: 'Remove tags from a project',
      description: 'Keys that the project does not have are ignored.',
      arguments: { project: projects.argument, key: remainingArguments('Key of a tag.') },
      routes: ['projects.list', 'projects.show', 'projects.list-bindings', 'projects.replace-bindings'],
      result: { kind: 'changes', view, sentence: (row) => `Removed ${formatTag(row as never)}.` },
      examples: ['project tag remove Platform cost-center'],
      errors: { conflict: 'Somebody else has changed the project at the same time. Nothing was changed.' },
      async *run(invocation, { project, key: keys }) {
        // The entity tag is read before the tags, so that no tag that is added in between is lost.
        const { id, etag } = await projects.find(invocation, project);
        const { data: bindings } = (await invocation.api.lookUp(listTags(id))).document;
        const isRemoved = ({ attributes }: TagBinding): boolean => keys.includes(attributes.key);
        const kept = bindings.filter((binding) => !isRemoved(binding)).map(({ attributes }) => attributes);
        if (kept.length < bindings.length) await invocation.api.send(replaceProjectTagBindings(id, kept, etag));
        else invocation.note(`${project} has none of these tags.`);
        yield* bindings.filter(isRemoved).map(flatten);
      },
    }),
  ],
};
