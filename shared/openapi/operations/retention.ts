import { type Group, one } from '../operation.ts';
import { retentionPolicies } from '../resources.ts';

const ADMIN = 'The caller needs admin access.';
const OWNER = "The caller needs to be an owner, or to use the organization's token.";
const body = 'The attribute may be sent in either spelling. A policy that never deletes has no attribute.';

/** Data retention policies (docs/reference/data-retention.md). */
export const retention = {
  name: 'Data retention policies',
  description: 'How long state versions are kept that are not current.',
  response: one(...retentionPolicies),
  operations: {
    'retention-policies.show': {
      summary: "Show a workspace's data retention policy",
      description:
        "Returns the workspace's own policy, or else the default of its organization; `target` names the holder.",
      rule: 'RET-1',
      errors: {
        404: 'The workspace does not exist, or the caller may not see it; or there is neither a policy nor a default.',
      },
    },
    'retention-policies.set': {
      summary: "Set a workspace's data retention policy",
      description: `${ADMIN} Status 201 if the workspace had no policy of its own, otherwise 200. The type may change; the id does not.`,
      rule: 'RET-2',
      body,
    },
    'retention-policies.replace': {
      summary: "Set a workspace's data retention policy (older clients)",
      description: ADMIN,
      rule: 'RET-2',
      body,
    },
    'retention-policies.delete': {
      summary: "Delete a workspace's own data retention policy",
      description: `${ADMIN} The default of the organization, if any, applies again.`,
      rule: 'RET-3',
      errors: { 404: 'The workspace does not exist, or the caller may not see it; or it has no policy of its own.' },
    },
    'default-retention-policies.show': {
      summary: "Show an organization's default data retention policy",
      rule: 'RET-1',
      errors: { 404: 'The organization does not exist, or the caller may not see it; or it has no default policy.' },
    },
    'default-retention-policies.set': {
      summary: "Set an organization's default data retention policy",
      description: `Applies to workspaces without a policy of their own. ${OWNER} Status 201 if there was no default policy, otherwise 200.`,
      rule: 'RET-2',
      body,
    },
    'default-retention-policies.replace': {
      summary: "Set an organization's default data retention policy (older clients)",
      description: OWNER,
      rule: 'RET-2',
      body,
    },
    'default-retention-policies.delete': {
      summary: "Delete an organization's default data retention policy",
      description: OWNER,
      rule: 'RET-3',
      errors: { 404: 'The organization does not exist, or the caller may not see it; or it has no default policy.' },
    },
  },
} satisfies Group;
