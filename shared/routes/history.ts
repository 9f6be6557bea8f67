import { type Routes, WORKSPACE } from './route.ts';

/** The history of changes (docs/reference/history.md). */
export const history = {
  'workspaces.history': { method: 'GET', path: `${WORKSPACE}/history`, function: 'history', status: 200 },
} as const satisfies Routes;
