import { project } from '../../resources/projects/openapi.ts';
import { effectiveTagBinding, tagBinding } from '../../resources/tags/openapi.ts';
import type { projects as routes } from '../../routes/projects.ts';
import { oneOf, text } from '../../schemas/schema.ts';
import { type Group, list, one, page } from '../operation.ts';

export const projects: Group<keyof typeof routes> = {
  name: 'Projects',
  description: 'What workspaces are grouped in: they inherit from it, and so does who may do what with them.',
  operations: {
    'projects.list': {
      summary: "List an organization's projects",
      description: 'Those that the caller may read; totals count no others.',
      rule: 'PROJECT-2',
      query: {
        q: { description: 'A part of the name, in any case.', schema: text() },
        'filter[names]': { description: 'Names, separated by commas.', schema: text() },
        sort: { description: 'Order; `name` unless told otherwise.', schema: oneOf(['name', '-name']) },
      },
      answers: page(project),
    },
    'projects.create': {
      summary: 'Create a project',
      description: 'The caller needs permission to manage projects.',
      rule: 'PROJECT-3',
      body: 'Needs `name`. Unknown attributes are ignored.',
      answers: one(project),
      refuses: { 409: 'A project of that name is being deleted.' },
    },
    'projects.show': { summary: 'Show a project', rule: 'PROJECT-3', answers: one(project) },
    'projects.update': {
      summary: 'Update a project',
      description: 'What the body leaves out stays as it is; bindings are replaced by those that it names.',
      rule: 'PROJECT-3',
      body: 'Unknown attributes are ignored.',
      answers: one(project),
    },
    'projects.delete': {
      summary: 'Delete a project that has no workspaces',
      description: 'It is gone at once; its name is free when no request under way can use it any more.',
      rule: 'PROJECT-7',
      refuses: { 409: 'It has workspaces.', 422: 'It is the default project of its organization.' },
    },
    'projects.move-workspaces': {
      summary: 'Move workspaces into a project',
      description: 'The caller needs to be allowed to move workspaces out of their projects, and into this one.',
      rule: 'WS-29',
      refuses: {
        403: 'The caller sees the project and the workspaces, but may not move them there.',
        404: 'The project or one of the workspaces is not there, or not for the caller; none is moved.',
      },
    },
    'projects.list-bindings': {
      summary: 'List the tag bindings of a project',
      rule: 'PROJECT-6',
      answers: list(tagBinding),
    },
    'projects.add-bindings': {
      summary: 'Add tag bindings to a project',
      description: 'A key that is there gets the value that the body gives. All are answered.',
      rule: 'PROJECT-6',
      answers: list(tagBinding),
    },
    'projects.list-effective-bindings': {
      summary: 'List the tag bindings in force on a project',
      description: 'Its own: nothing is above it that has any.',
      rule: 'PROJECT-8',
      answers: list(effectiveTagBinding),
    },
  },
};
