import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, routesOf, WORKSPACE } from './route.ts';

const { get } = routesOf('history');
const headers = { 'content-type': 'application/json' } as const;

/** The history of changes (docs/reference/history.md). */
export const history = {
  'workspaces.history': get(`${WORKSPACE}/history`, 200),
  'organizations.audit-trail': get(`${ORGANIZATION}/audit-trail`, 200),
  'audit-trail.list': get(`${BASE_PATH}/organization/audit-trail`, 200, { headers }),
} satisfies Routes;
