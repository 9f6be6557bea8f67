import { type Routes, WORKSPACE, workspaceIncludes } from './route.ts';

const path = `${WORKSPACE}/relationships/remote-state-consumers` as const;
const changed = {
  function: 'remote-state-consumers',
  status: 204,
  body: { schema: 'consumers', required: true },
} as const;

/** Remote state consumers (docs/reference/remote-state-consumers.md). */
export const consumers = {
  'remote-state-consumers.list': {
    method: 'GET',
    path,
    function: 'remote-state-consumers',
    status: 200,
    includes: workspaceIncludes,
  },
  'remote-state-consumers.add': { method: 'POST', path, ...changed },
  'remote-state-consumers.replace': { method: 'PATCH', path, ...changed },
  'remote-state-consumers.remove': { method: 'DELETE', path, ...changed },
} as const satisfies Routes;
