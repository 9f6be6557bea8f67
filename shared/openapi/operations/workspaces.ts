import type { workspaces as routes } from '../../routes/workspaces.ts';
import { workspaceInclusions as include, workspace } from '../answers/workspace.ts';
import { type Group, one, page } from '../operation.ts';
import { oneOf } from '../schema.ts';

const WHICH = 'The caller needs';

/** Workspaces, their locks and their deletion (spec 4.1). */
export const workspaces: Group<keyof typeof routes> = {
  name: 'Workspaces',
  description: 'Running infrastructure: its settings, its lock, its end.',
  operations: {
    'workspaces.create': {
      summary: 'Create a workspace',
      description: `In the project that the body names, or in the organization's default project. ${WHICH} to be an owner, to manage all workspaces or projects, or to be allowed to create in that project.`,
      section: 'spec 4.1',
      body: 'Unknown attributes are ignored. What is left out has its default.',
      answers: one(workspace),
    },
    'workspaces.show': {
      summary: 'Show a workspace',
      section: 'spec 4.1',
      answers: one(workspace),
      include,
    },
    'workspaces.show-by-name': {
      summary: 'Show a workspace by its name',
      section: 'spec 4.1',
      answers: one(workspace),
      include,
    },
    'workspaces.update': {
      summary: 'Update a workspace',
      description: `What the body leaves out stays as it is. ${WHICH} admin access; to move it to another project, admin access to both.`,
      section: 'spec 4.1',
      body: 'Unknown attributes are ignored.',
      answers: one(workspace),
      refuses: { 403: 'The caller sees both projects, but may not move workspaces between them.' },
    },
    'workspaces.update-by-name': {
      summary: 'Update a workspace by its name',
      description: 'As by id; a request that renames it is answered under the new name.',
      section: 'spec 4.1',
      body: 'Unknown attributes are ignored.',
      answers: one(workspace),
      refuses: { 403: 'The caller sees both projects, but may not move workspaces between them.' },
    },
    'workspaces.list': {
      summary: "List an organization's workspaces",
      description: 'Those that the caller may read; totals count no others.',
      section: 'spec 4.1',
      query: { sort: { description: 'Order; `name` unless told otherwise.', schema: oneOf(['name', '-name']) } },
      answers: page(workspace),
      include,
    },

    'workspaces.lock': {
      summary: 'Lock a workspace',
      description: `Whoever holds the lock, and only they, can unlock it. ${WHICH} permission to lock; a token of an organization has none.`,
      section: 'spec 4.1',
      body: 'Why, for others to see; bare, inside a document, or not at all.',
      answers: one(workspace),
      refuses: { 409: 'It is locked already, also when the caller holds the lock.' },
    },
    'workspaces.unlock': {
      summary: 'Unlock a workspace',
      description: 'The newest intermediate state version becomes the current one.',
      section: 'spec 4.1',
      answers: one(workspace),
      refuses: {
        409: 'It is not locked, or locked by somebody else.',
        503: 'Its newest state version is still pending, or the service is busy. Try again.',
      },
    },
    'workspaces.force-unlock': {
      summary: 'Unlock a workspace, whoever holds the lock',
      description: `${WHICH} admin access.`,
      section: 'spec 4.1',
      answers: one(workspace),
      refuses: { 409: 'It is not locked.' },
    },

    'workspaces.safe-delete': {
      summary: 'Delete a workspace that manages nothing',
      section: 'spec 4.1',
      refuses: { 409: 'It is locked, its state is being processed, or it manages resources.' },
    },
    'workspaces.safe-delete-by-name': {
      summary: 'Delete a workspace that manages nothing, by its name',
      section: 'spec 4.1',
      refuses: { 409: 'It is locked, its state is being processed, or it manages resources.' },
    },
    'workspaces.force-delete': {
      summary: 'Delete a workspace, whatever it manages',
      description: `${WHICH} to be an owner, or admin access where the organization lets admins force delete.`,
      section: 'spec 4.1',
      refuses: { 403: 'The caller sees the workspace, but may not force delete it.' },
    },
    'workspaces.force-delete-by-name': {
      summary: 'Delete a workspace, whatever it manages, by its name',
      section: 'spec 4.1',
      refuses: { 403: 'The caller sees the workspace, but may not force delete it.' },
    },
  },
};
