import { flag, oneOf, text } from '../../schemas/schema.ts';
import { type Group, list, one, page } from '../operation.ts';
import { effectiveTagBinding, organization, project, tagBinding } from '../resources.ts';

const include = { effective_tag_bindings: [effectiveTagBinding], organization: [organization] };

export const projects = {
  name: 'Projects',
  description: 'Groups of workspaces. Workspaces inherit settings, tag bindings and team access from their project.',
  response: one(project),
  operations: {
    'projects.list': {
      summary: "List an organization's projects",
      description: 'Returns the projects that the caller may read; totals count no others.',
      rule: 'PROJECT-2',
      query: {
        q: text('Part of the name, ignoring case.'),
        'filter[names]': text('Comma-separated names, ignoring case.'),
        'filter[tagged][0][key]': text(
          'Key of a tag binding. For more bindings, add `filter[tagged][1][key]` and so on. The project has all of them.',
        ),
        'filter[tagged][0][value]': text('Value of the binding with that key. Empty or absent: any value.'),
        'filter[permissions][create-workspace]': flag(
          'True: only projects in which the caller may create workspaces. False has no effect.',
        ),
        'filter[permissions][update]': flag('True: only projects that the caller may update. False has no effect.'),
        sort: oneOf(['name', '-name'], 'Sort order; a hyphen means descending. Default: `name`.'),
      },
      response: page(project),
      include,
    },
    'projects.create': {
      summary: 'Create a project',
      description: 'The caller needs permission to manage projects.',
      rule: 'PROJECT-3',
      body: '`name` is required. Unknown attributes are ignored.',
    },
    'projects.show': { summary: 'Show a project', rule: 'PROJECT-3', include },
    'projects.update': {
      summary: 'Update a project',
      description: 'Omitted attributes stay unchanged; tag bindings in the body replace all existing ones.',
      rule: 'PROJECT-3',
      body: 'Unknown attributes are ignored.',
    },
    'projects.delete': {
      summary: 'Delete a project that has no workspaces',
      description: 'The project is out of service at once; its name is free when no running request can still use it.',
      rule: 'PROJECT-7',
      errors: { 409: 'The project has workspaces.', 422: 'The project is the default project of its organization.' },
    },
    'projects.move-workspaces': {
      summary: 'Move workspaces into a project',
      description: 'The caller needs permission to move workspaces out of their projects and into this one.',
      rule: 'WS-29',
      errors: {
        403: 'The caller may see the project and the workspaces, but may not move them there.',
        404: 'The project or one of the workspaces does not exist, or the caller may not see it. No workspace is moved.',
      },
    },
    'projects.list-bindings': {
      summary: 'List the tag bindings of a project',
      rule: 'PROJECT-6',
      response: list(tagBinding),
    },
    'projects.add-bindings': {
      summary: 'Add tag bindings to a project',
      description: 'An existing key gets the new value. Returns all bindings.',
      rule: 'PROJECT-6',
      response: list(tagBinding),
    },
    'projects.list-related-bindings': {
      summary: 'List the tag bindings of a project',
      rule: 'PROJECT-6',
      response: list(tagBinding),
    },
    'projects.add-related-bindings': {
      summary: 'Add tag bindings to a project, with an empty response',
      description: 'An existing key gets the new value.',
      rule: 'PROJECT-6',
    },
    'projects.replace-bindings': {
      summary: 'Replace the tag bindings of a project',
      description: 'Bindings that are not in the body are removed. Returns all bindings.',
      rule: 'PROJECT-6',
      response: list(tagBinding),
    },
    'projects.list-effective-bindings': {
      summary: 'List the effective tag bindings of a project',
      description: 'Returns the bindings of the project itself: a project inherits none.',
      rule: 'PROJECT-8',
      response: list(effectiveTagBinding),
    },
  },
} satisfies Group;
