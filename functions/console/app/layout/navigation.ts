/** Pages of an organization, in the order and the groups of the navigation. */
export const organizationPageGroups = [
  [
    { to: '/$organization/workspaces', label: 'Workspaces' },
    { to: '/$organization/locks', label: 'Locks' },
    { to: '/$organization/bulk-jobs', label: 'Bulk jobs' },
    { to: '/$organization/deleted-workspaces', label: 'Deleted workspaces' },
  ],
  [
    { to: '/$organization/projects', label: 'Projects' },
    { to: '/$organization/variable-sets', label: 'Variable sets' },
    { to: '/$organization/reserved-tags', label: 'Reserved tags' },
  ],
  [
    { to: '/$organization/teams', label: 'Teams' },
    { to: '/$organization/members', label: 'Members' },
    { to: '/$organization/api-tokens', label: 'Tokens' },
    { to: '/$organization/workload-identities', label: 'Workload identities' },
  ],
  [
    { to: '/$organization/agent-pools', label: 'Agent pools' },
    { to: '/$organization/ssh-keys', label: 'SSH keys' },
    { to: '/$organization/vcs-connections', label: 'VCS connections' },
  ],
  [
    { to: '/$organization/audit-trail', label: 'Audit trail' },
    { to: '/$organization/settings', label: 'Organization settings' },
  ],
] as const;

/** Pages of the user, which belong to no organization. */
export const userPages = [
  { to: '/settings/tokens', label: 'Your tokens' },
  { to: '/settings/sessions', label: 'Your sessions' },
  { to: '/settings/linked-identities', label: 'Linked identities' },
  { to: '/settings/command-line', label: 'Command line' },
] as const;

/** Pages of a workspace, in the order of the tabs. */
export const workspacePages = [
  { to: '/$organization/workspaces/$workspace', label: 'Overview' },
  { to: '/$organization/workspaces/$workspace/variables', label: 'Variables' },
  { to: '/$organization/workspaces/$workspace/state', label: 'State' },
  { to: '/$organization/workspaces/$workspace/runs', label: 'Runs' },
  { to: '/$organization/workspaces/$workspace/history', label: 'History' },
  { to: '/$organization/workspaces/$workspace/consumers', label: 'Consumers' },
  { to: '/$organization/workspaces/$workspace/access', label: 'Team access' },
  { to: '/$organization/workspaces/$workspace/retention', label: 'Retention' },
  { to: '/$organization/workspaces/$workspace/settings', label: 'Settings' },
] as const;
