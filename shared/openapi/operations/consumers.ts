import Type from 'typebox';
import { workspaceInclusions as include, workspace } from '../../resources/workspaces/openapi.ts';
import type { consumers as routes } from '../../routes/consumers.ts';
import { type Group, page } from '../operation.ts';

const body = 'The workspaces, by type and id; whatever else they have is ignored.';
const refused =
  'A workspace is listed that is not there, not for the caller, or the one itself; or `global-remote-state` is true.';

/** Remote state consumers (docs/reference/remote-state-consumers.md). */
export const consumers: Group<keyof typeof routes> = {
  name: 'Remote state consumers',
  description: 'The workspaces that may read the state of a workspace.',
  operations: {
    'remote-state-consumers.list': {
      summary: "List a workspace's remote state consumers",
      description:
        'Those that the caller may read, by name: the configured ones, or with `global-remote-state` every other workspace of the organization.',
      rule: 'CONS-1',
      query: {
        show_only_configured: {
          description: 'The configured ones also with `global-remote-state`.',
          schema: Type.Boolean(),
        },
      },
      answers: page(workspace),
      include,
    },
    'remote-state-consumers.add': {
      summary: 'Add remote state consumers',
      description: 'The caller needs admin access. Those that are there already stay.',
      rule: 'CONS-3',
      body,
      refuses: { 422: refused },
    },
    'remote-state-consumers.replace': {
      summary: 'Replace the remote state consumers',
      description:
        'The caller needs to be an owner, to manage all workspaces or projects, or the token of the organization. However many they are, readers see either those of before or these.',
      rule: 'CONS-3',
      body,
      refuses: { 422: refused },
    },
    'remote-state-consumers.remove': {
      summary: 'Remove remote state consumers',
      description: 'The caller needs admin access. Those that are not there do no harm.',
      rule: 'CONS-3',
      body,
      refuses: {
        422: 'A workspace is listed that is neither in the set nor one that could be added; or `global-remote-state` is true.',
      },
    },
  },
};
