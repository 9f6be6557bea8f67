import type { IconName } from '../components/icon.tsx';

/** Pages of an organization, in the order and the groups of the navigation. */
export const organizationPageGroups = [
  {
    title: 'Infrastructure',
    pages: [
      { to: '/$organization', label: 'Home', icon: 'home' },
      { to: '/$organization/workspaces', label: 'Workspaces', icon: 'workspace' },
      { to: '/$organization/locks', label: 'Locks', icon: 'lock' },
      { to: '/$organization/bulk-jobs', label: 'Bulk jobs', icon: 'bulk-job' },
      { to: '/$organization/deleted-workspaces', label: 'Deleted workspaces', icon: 'trash' },
    ],
  },
  {
    title: 'Configuration',
    pages: [
      { to: '/$organization/projects', label: 'Projects', icon: 'project' },
      { to: '/$organization/variables', label: 'Variables', icon: 'variable' },
      { to: '/$organization/variable-sets', label: 'Variable sets', icon: 'variables' },
      { to: '/$organization/reserved-tags', label: 'Reserved tags', icon: 'tag' },
    ],
  },
  {
    title: 'People and access',
    pages: [
      { to: '/$organization/teams', label: 'Teams', icon: 'team' },
      { to: '/$organization/members', label: 'Members', icon: 'member' },
      { to: '/$organization/api-tokens', label: 'Tokens', icon: 'token' },
      { to: '/$organization/workload-identities', label: 'Workload identities', icon: 'workload-identity' },
    ],
  },
  {
    title: 'Connections',
    pages: [
      { to: '/$organization/agent-pools', label: 'Agent pools', icon: 'agent-pool' },
      { to: '/$organization/ssh-keys', label: 'SSH keys', icon: 'key' },
      { to: '/$organization/vcs-connections', label: 'VCS connections', icon: 'vcs-connection' },
    ],
  },
  {
    title: 'Organization',
    pages: [
      { to: '/$organization/audit-trail', label: 'Audit trail', icon: 'audit-trail' },
      { to: '/$organization/settings', label: 'Organization settings', icon: 'settings' },
    ],
  },
] as const satisfies readonly {
  readonly title: string;
  readonly pages: readonly { readonly to: string; readonly label: string; readonly icon: IconName }[];
}[];

type OrganizationPage = (typeof organizationPageGroups)[number]['pages'][number];

/** All pages of an organization. */
export const organizationPages = organizationPageGroups.flatMap(({ pages }): readonly OrganizationPage[] => pages);

/** Pages of the user, which belong to no organization. */
export const userPages = [
  { to: '/settings/tokens', label: 'Your tokens', icon: 'token' },
  { to: '/settings/sessions', label: 'Your sessions', icon: 'session' },
  { to: '/settings/linked-identities', label: 'Linked identities', icon: 'workload-identity' },
  { to: '/settings/command-line', label: 'Command line', icon: 'command-line' },
] as const satisfies readonly { readonly to: string; readonly label: string; readonly icon: IconName }[];

/** Pages of a workspace, in the order of the tabs. */
export const workspacePages = [
  { to: '/$organization/workspaces/$workspace', label: 'Overview' },
  { to: '/$organization/workspaces/$workspace/variables', label: 'Variables' },
  { to: '/$organization/workspaces/$workspace/state', label: 'State' },
  { to: '/$organization/workspaces/$workspace/runs', label: 'Runs' },
  { to: '/$organization/workspaces/$workspace/history', label: 'History' },
  { to: '/$organization/workspaces/$workspace/consumers', label: 'Consumers' },
  { to: '/$organization/workspaces/$workspace/access', label: 'Team access' },
  { to: '/$organization/workspaces/$workspace/settings', label: 'Settings' },
] as const;
