import { retentionPolicies } from '../../resources/data-retention-policies/openapi.ts';
import type { retention as routes } from '../../routes/retention.ts';
import { type Group, one } from '../operation.ts';

const ADMIN = 'The caller needs admin access.';
const OWNER = "The caller needs to be an owner, or the organization's token.";
const body = 'Both spellings of the attribute are taken; a policy that never deletes has none.';

/** Data retention policies (docs/reference/data-retention.md). */
export const retention: Group<keyof typeof routes> = {
  name: 'Data retention policies',
  description: 'For how long state versions are kept that are not the current one.',
  operations: {
    'retention-policies.show': {
      summary: "Show a workspace's data retention policy",
      description: "Its own, else its organization's default; `target` says whose it is.",
      rule: 'RET-1',
      answers: one(...retentionPolicies),
      refuses: { 404: 'The workspace is not there, or not for the caller; or there is no policy, nor a default one.' },
    },
    'retention-policies.set': {
      summary: "Set a workspace's data retention policy",
      description: `${ADMIN} 201 where it had none of its own, else 200; the kind may change, the id stays.`,
      rule: 'RET-2',
      body,
      answers: one(...retentionPolicies),
    },
    'retention-policies.replace': {
      summary: "Set a workspace's data retention policy (older clients)",
      description: ADMIN,
      rule: 'RET-2',
      body,
      answers: one(...retentionPolicies),
    },
    'retention-policies.delete': {
      summary: "Delete a workspace's own data retention policy",
      description: `${ADMIN} The organization's default, if there is one, applies again.`,
      rule: 'RET-3',
      refuses: { 404: 'The workspace is not there, or not for the caller; or it has no policy of its own.' },
    },
    'default-retention-policies.show': {
      summary: "Show an organization's default data retention policy",
      rule: 'RET-1',
      answers: one(...retentionPolicies),
      refuses: { 404: 'The organization is not there, or not for the caller; or it has no default policy.' },
    },
    'default-retention-policies.set': {
      summary: "Set an organization's default data retention policy",
      description: `For workspaces without one of their own. ${OWNER} 201 where it had none, else 200.`,
      rule: 'RET-2',
      body,
      answers: one(...retentionPolicies),
    },
    'default-retention-policies.replace': {
      summary: "Set an organization's default data retention policy (older clients)",
      description: OWNER,
      rule: 'RET-2',
      body,
      answers: one(...retentionPolicies),
    },
    'default-retention-policies.delete': {
      summary: "Delete an organization's default data retention policy",
      description: OWNER,
      rule: 'RET-3',
      refuses: { 404: 'The organization is not there, or not for the caller; or it has no default policy.' },
    },
  },
};
