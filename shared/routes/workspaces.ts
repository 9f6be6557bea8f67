import { BASE_PATH } from './api.ts';
import {
  workspaceIncludes as includes,
  ORGANIZATION,
  optional,
  type Routes,
  required,
  routesOf,
  WORKSPACE,
  withDryRun,
} from './route.ts';

const ofOrganization = `${ORGANIZATION}/workspaces` as const;
const byName = `${ofOrganization}/{name}` as const;

const own = routesOf('workspaces');
const lists = routesOf('workspace-list');
const locks = routesOf('workspace-locks');
const deletion = routesOf('workspace-deletion');

/** Workspaces, their locks and their deletion (docs/reference/workspaces.md). */
export const workspaces = {
  'workspaces.create': own.post(ofOrganization, 201, { body: required('workspace') }),
  'workspaces.show': own.get(WORKSPACE, 200, { includes }),
  'workspaces.show-by-name': own.get(byName, 200, { includes }),
  'workspaces.update': own.patch(WORKSPACE, 200, { ...withDryRun, body: required('workspace') }),
  'workspaces.update-by-name': own.patch(byName, 200, { ...withDryRun, body: required('workspace') }),

  'workspaces.list': lists.get(ofOrganization, 200, { includes }),
  'organizations.statistics': lists.get(`${ORGANIZATION}/statistics`, 200),

  'workspaces.lock': locks.post(`${WORKSPACE}/actions/lock`, 200, { ...withDryRun, body: optional('workspaceLock') }),
  'workspaces.unlock': locks.post(`${WORKSPACE}/actions/unlock`, 200, withDryRun),
  'workspaces.renew-lock': locks.post(`${WORKSPACE}/actions/renew-lock`, 200, {
    body: optional('workspaceLockRenewal'),
  }),
  'workspaces.force-unlock': locks.post(`${WORKSPACE}/actions/force-unlock`, 200, {
    ...withDryRun,
    body: optional('workspaceForceUnlock'),
  }),

  'workspaces.safe-delete': deletion.post(`${WORKSPACE}/actions/safe-delete`, 204, withDryRun),
  'workspaces.safe-delete-by-name': deletion.post(`${byName}/actions/safe-delete`, 204, withDryRun),
  'workspaces.force-delete': deletion.remove(WORKSPACE, 204, withDryRun),
  'workspaces.force-delete-by-name': deletion.remove(byName, 204, withDryRun),
} satisfies Routes;

const deleted = `${BASE_PATH}/deleted-workspaces/{workspace_id}` as const;

/** Deleted workspaces that can be restored (docs/reference/deletion.md). */
export const deletedWorkspaces = {
  'deleted-workspaces.list': lists.get(`${ORGANIZATION}/deleted-workspaces`, 200),
  'deleted-workspaces.show': deletion.get(deleted, 200),
  'deleted-workspaces.restore': deletion.post(`${deleted}/actions/restore`, 200, {
    ...withDryRun,
    body: optional('restoration'),
  }),
  'deleted-workspaces.purge': deletion.remove(deleted, 204),
} satisfies Routes;

const item = `${BASE_PATH}/recoverable-items/{workspace_id}` as const;

/** Deleted workspaces in the form of HCP Terraform (DEL-23). */
export const recoverableItems = {
  'recoverable-items.list': lists.get(`${ORGANIZATION}/recoverable-items`, 200),
  'recoverable-items.recover': deletion.put(`${item}/actions/recover`, 204),
  'recoverable-items.permanently-delete': deletion.put(`${item}/actions/permanently-delete`, 204),
} satisfies Routes;

const consumersOfWorkspace = `${WORKSPACE}/relationships/remote-state-consumers` as const;
const sharing = routesOf('remote-state-consumers');
const listed = { body: required('consumers') };

/** Remote state consumers (docs/reference/remote-state-consumers.md). */
export const consumers = {
  'remote-state-consumers.list': sharing.get(consumersOfWorkspace, 200, { includes }),
  'remote-state-consumers.add': sharing.post(consumersOfWorkspace, 204, listed),
  'remote-state-consumers.replace': sharing.patch(consumersOfWorkspace, 204, listed),
  'remote-state-consumers.remove': sharing.remove(consumersOfWorkspace, 204, listed),
} satisfies Routes;

/** The SSH key of a workspace (docs/reference/ssh-keys.md). */
export const sshKey = {
  'ssh-key.assign': routesOf('ssh-key').patch(`${WORKSPACE}/relationships/ssh-key`, 200, {
    conditional: true,
    body: required('sshKeyAssignment'),
  }),
} satisfies Routes;

const policyOfWorkspace = `${WORKSPACE}/relationships/data-retention-policy` as const;
const policyOfOrganization = `${ORGANIZATION}/relationships/data-retention-policy` as const;
const policies = routesOf('data-retention-policy');
const feature = 'retentionPolicies';
const change = { feature, conditional: true, body: required('retentionPolicy') } as const;
const creation = { ...change, statusIfThere: 200 } as const;
const removal = { feature, conditional: true } as const;

/** Data retention policies of workspaces, and the default of an organization. Older clients set them with PATCH (RET-2). */
export const retention = {
  'retention-policies.show': policies.get(policyOfWorkspace, 200, { feature }),
  'retention-policies.set': policies.post(policyOfWorkspace, 201, creation),
  'retention-policies.replace': policies.patch(policyOfWorkspace, 200, change),
  'retention-policies.delete': policies.remove(policyOfWorkspace, 204, removal),

  'default-retention-policies.show': policies.get(policyOfOrganization, 200, { feature }),
  'default-retention-policies.set': policies.post(policyOfOrganization, 201, creation),
  'default-retention-policies.replace': policies.patch(policyOfOrganization, 200, change),
  'default-retention-policies.delete': policies.remove(policyOfOrganization, 204, removal),
} satisfies Routes;
