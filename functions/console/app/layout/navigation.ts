/** Pages of an organization, in the order of the navigation. */
export const organizationPages = [
  { to: '/$organization/workspaces', label: 'Workspaces' },
  { to: '/$organization/locks', label: 'Locks' },
] as const;

/** Pages of a workspace, in the order of the tabs. */
export const workspacePages = [
  { to: '/$organization/workspaces/$workspace', label: 'Overview' },
  { to: '/$organization/workspaces/$workspace/variables', label: 'Variables' },
  { to: '/$organization/workspaces/$workspace/settings', label: 'Settings' },
] as const;
