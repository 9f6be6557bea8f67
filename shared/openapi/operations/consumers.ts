import { flag } from '../../schemas/schema.ts';
import { workspaceInclusions as include } from '../inclusions.ts';
import { type Group, page } from '../operation.ts';
import { workspace } from '../resources.ts';

const body = 'Types and ids of the workspaces. Other members are ignored.';
const rejected =
  'A listed workspace does not exist, the caller may not see it, or it is the workspace itself; or `global-remote-state` is true.';

/** Remote state consumers (docs/reference/remote-state-consumers.md). */
export const consumers = {
  name: 'Remote state consumers',
  description: 'The workspaces that may read the state of a workspace.',
  operations: {
    'remote-state-consumers.list': {
      summary: "List a workspace's remote state consumers",
      description:
        'Returns the consumers that the caller may read, ordered by name. With `global-remote-state`, these are all other workspaces of the organization.',
      rule: 'CONS-1',
      query: {
        show_only_configured: flag('Whether to return the configured consumers even with `global-remote-state`.'),
      },
      response: page(workspace),
      include,
    },
    'remote-state-consumers.add': {
      summary: 'Add remote state consumers',
      description: 'The caller needs admin access. Existing consumers stay.',
      rule: 'CONS-3',
      body,
      errors: { 422: rejected },
    },
    'remote-state-consumers.replace': {
      summary: 'Replace the remote state consumers',
      description:
        "The caller needs to be an owner, to have permission to manage all workspaces or projects, or to use the organization's token. The change is atomic.",
      rule: 'CONS-3',
      body,
      errors: { 422: rejected },
    },
    'remote-state-consumers.remove': {
      summary: 'Remove remote state consumers',
      description: 'The caller needs admin access. Workspaces that are not consumers are ignored.',
      rule: 'CONS-3',
      body,
      errors: {
        422: 'A listed workspace is not a consumer and could not be added as one; or `global-remote-state` is true.',
      },
    },
  },
} satisfies Group;
