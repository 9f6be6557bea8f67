import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, WORKSPACE } from './route.ts';

/** The history of changes (docs/reference/history.md). */
export const history = {
  'workspaces.history': { method: 'GET', path: `${WORKSPACE}/history`, function: 'history', status: 200 },
  'organizations.audit-trail': {
    method: 'GET',
    path: `${ORGANIZATION}/audit-trail`,
    function: 'history',
    status: 200,
  },
  'audit-trail.list': {
    method: 'GET',
    path: `${BASE_PATH}/organization/audit-trail`,
    function: 'history',
    status: 200,
    headers: { 'content-type': 'application/json' },
  },
} as const satisfies Routes;
