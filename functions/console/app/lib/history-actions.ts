import type { HistoryEntry } from '../../../../shared/client/history.ts';
import { toWords, withoutResource } from './words.ts';

type Action = HistoryEntry['attributes']['action'];

/** All actions of the API. A missing or unknown action is a type error. */
const actions: Readonly<Record<Action, true>> = {
  'organization.created': true,
  'organization.updated': true,
  'organization.deleted': true,
  'organization.retention-policy-changed': true,
  'organization.reserved-tag-key-created': true,
  'organization.reserved-tag-key-updated': true,
  'organization.reserved-tag-key-deleted': true,
  'project.created': true,
  'project.updated': true,
  'project.access-changed': true,
  'project.deleted': true,
  'team.created': true,
  'team.updated': true,
  'team.deleted': true,
  'team-membership.created': true,
  'team-membership.deleted': true,
  'organization-membership.created': true,
  'organization-membership.deleted': true,
  'user.signed-in': true,
  'user.sign-in-link-created': true,
  'user.suspended': true,
  'user.resumed': true,
  'user.exempted': true,
  'identity.linked': true,
  'identity.unlinked': true,
  'membership.synced': true,
  'session.ended': true,
  'token.created': true,
  'token.issued': true,
  'token.first-used': true,
  'token.revoked': true,
  'agent-pool.created': true,
  'agent-pool.updated': true,
  'agent-pool.deleted': true,
  'ssh-key.created': true,
  'ssh-key.updated': true,
  'ssh-key.deleted': true,
  'vcs-connection.created': true,
  'vcs-connection.updated': true,
  'vcs-connection.deleted': true,
  'app-installation.created': true,
  'app-installation.updated': true,
  'app-installation.deleted': true,
  'workload-identity.created': true,
  'workload-identity.updated': true,
  'workload-identity.deleted': true,
  'bulk-job.applied': true,
  'request.refused': true,
  'exchange.refused': true,
  'user.sign-in-refused': true,
  'variable-set.created': true,
  'variable-set.updated': true,
  'variable-set.deleted': true,
  'variable-set.assignments-changed': true,
  'variable-set.variable-created': true,
  'variable-set.variable-updated': true,
  'variable-set.variable-deleted': true,
  'variable-set.variable-verified': true,
  'workspace.created': true,
  'workspace.updated': true,
  'workspace.moved': true,
  'workspace.locked': true,
  'workspace.unlocked': true,
  'workspace.force-unlocked': true,
  'workspace.lock-renewed': true,
  'workspace.deleted': true,
  'workspace.restored': true,
  'workspace.purged': true,
  'workspace.tags-changed': true,
  'workspace.consumers-changed': true,
  'workspace.access-changed': true,
  'workspace.retention-policy-changed': true,
  'workspace.variable-created': true,
  'workspace.variable-updated': true,
  'workspace.variable-deleted': true,
  'workspace.variable-verified': true,
  'workspace.state-version-created': true,
  'workspace.state-version-finalized': true,
  'workspace.state-version-deleted': true,
  'workspace.state-version-backing-data-changed': true,
  'workspace.run-updated': true,
  'workspace.configuration-version-updated': true,
  'workspace.destroy-requested': true,
};

/** An action to choose from, in words. */
interface ActionOption {
  readonly value: string;
  readonly label: string;
}

/** Returns the actions that a pattern matches, as a filter takes them. */
const matching = (pattern: RegExp): string =>
  Object.keys(actions)
    .filter((action) => pattern.test(action))
    .join(',');

/** Actions on variable sets, as a filter takes them. */
export const variableSetActions: string = matching(/^variable-set\./);

/** Groups of actions that people look for, by their labels. */
export const trailPresets: Readonly<Record<string, string>> = {
  Deletions: matching(/\.(deleted|purged|revoked)$/),
  Access: matching(/access-changed|^team|^token|membership|^workload-identity|^identity/),
  Rejected: matching(/refused$/),
};

/** Groups of actions that people look for in the history of a workspace, by their labels. */
export const workspacePresets: Readonly<Record<string, string>> = {
  Variables: matching(/^workspace\.variable-/),
  State: matching(/^workspace\.state-version-/),
  Locks: matching(/^workspace\..*lock/),
  Access: matching(/^workspace\.(access|consumers)-changed/),
};

/** Actions of an audit trail. */
export const trailActions: readonly ActionOption[] = Object.keys(actions).map((action) => ({
  value: action,
  label: toWords(action),
}));

/** Actions of the history of a workspace. The history of a purged workspace cannot be read. */
export const workspaceActions: readonly ActionOption[] = Object.keys(actions)
  .filter((action) => action.startsWith('workspace.') && action !== 'workspace.purged')
  .map((action) => ({ value: action, label: toWords(withoutResource(action)) }));
