/** Types of resources with pages or lists, by the prefixes of their ids (HTTP-10). */
const types = {
  apool: 'agent-pools',
  at: 'authentication-tokens',
  bulk: 'bulk-jobs',
  ou: 'organization-memberships',
  prj: 'projects',
  sshkey: 'ssh-keys',
  team: 'teams',
  user: 'users',
  varset: 'varsets',
  wi: 'workload-identities',
  ws: 'workspaces',
} as const;

type LinkedType = (typeof types)[keyof typeof types];

/** Returns the type of the resource that an id names; undefined for what has neither a page nor a list. */
export const typeOfId = (id: string): LinkedType | undefined =>
  (types as Readonly<Record<string, LinkedType>>)[id.split('-', 1)[0] ?? ''];
