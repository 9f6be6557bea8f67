import { ORGANIZATION, type Routes, WORKSPACE } from './route.ts';

const ofWorkspace = `${WORKSPACE}/relationships/data-retention-policy` as const;
const ofOrganization = `${ORGANIZATION}/relationships/data-retention-policy` as const;

const shared = { function: 'data-retention-policy', feature: 'retentionPolicies' } as const;
const body = { schema: 'retentionPolicy', required: true } as const;

/** Data retention policies of workspaces, and the default of an organization. Older clients set them with PATCH (RET-2). */
export const retention = {
  'retention-policies.show': { method: 'GET', path: ofWorkspace, status: 200, ...shared },
  'retention-policies.set': {
    method: 'POST',
    path: ofWorkspace,
    status: 201,
    statusIfThere: 200,
    body,
    ...shared,
    conditional: true,
  },
  'retention-policies.replace': { method: 'PATCH', path: ofWorkspace, status: 200, body, ...shared, conditional: true },
  'retention-policies.delete': { method: 'DELETE', path: ofWorkspace, status: 204, ...shared, conditional: true },

  'default-retention-policies.show': { method: 'GET', path: ofOrganization, status: 200, ...shared },
  'default-retention-policies.set': {
    method: 'POST',
    path: ofOrganization,
    status: 201,
    conditional: true,
    statusIfThere: 200,
    body,
    ...shared,
  },
  'default-retention-policies.replace': {
    method: 'PATCH',
    path: ofOrganization,
    status: 200,
    body,
    ...shared,
    conditional: true,
  },
  'default-retention-policies.delete': {
    method: 'DELETE',
    path: ofOrganization,
    status: 204,
    ...shared,
    conditional: true,
  },
} as const satisfies Routes;
