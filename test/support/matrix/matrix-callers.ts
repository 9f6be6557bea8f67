/**
 * Callers of the permission matrix: the origin of their tokens and access, the rows that apply to them, and their
 * `permissions`. Derived only from the rules, like the tables (`matrix.ts`).
 */

/** Keys of `permissions` (WS-9); `can-manage-hyok` is optional and not supported. */
export const permissionKeys = [
  'can-read-settings',
  'can-read-run',
  'can-read-assessment-results',
  'can-read-variable',
  'can-read-state-outputs',
  'can-read-state-versions',
  'can-queue-run',
  'can-queue-apply',
  'can-queue-destroy',
  'can-update-variable',
  'can-create-state-versions',
  'can-lock',
  'can-unlock',
  'can-force-unlock',
  'can-update',
  'can-destroy',
  'can-manage-tags',
  'can-manage-run-tasks',
  'can-manage-assessments',
  'can-manage-ephemeral-workspaces',
  'can-manage-teams',
  'can-force-delete',
] as const;
export type Permission = (typeof permissionKeys)[number];

const RUNS_READ: readonly Permission[] = ['can-read-settings', 'can-read-run', 'can-read-assessment-results'];
const READ: readonly Permission[] = [
  ...RUNS_READ,
  'can-read-variable',
  'can-read-state-outputs',
  'can-read-state-versions',
];
const PLAN: readonly Permission[] = [...READ, 'can-queue-run'];
const WRITE: readonly Permission[] = [
  ...PLAN,
  'can-queue-apply',
  'can-queue-destroy',
  'can-update-variable',
  'can-create-state-versions',
  'can-lock',
  'can-unlock',
];
/** Maintainers of a project do everything with its workspaces, except that they give no team access. */
const MAINTAIN: readonly Permission[] = [
  ...WRITE,
  'can-force-unlock',
  'can-update',
  'can-destroy',
  'can-manage-tags',
  'can-manage-run-tasks',
  'can-manage-assessments',
  'can-manage-ephemeral-workspaces',
];
const ADMIN: readonly Permission[] = [...MAINTAIN, 'can-manage-teams'];
const EVERYTHING: readonly Permission[] = permissionKeys;
/** Organization tokens cannot start runs, write states or hold locks. */
const ORGANIZATION_TOKEN: readonly Permission[] = [
  ...READ,
  'can-update-variable',
  'can-force-unlock',
  'can-update',
  'can-destroy',
  'can-manage-tags',
  'can-manage-run-tasks',
  'can-manage-assessments',
  'can-manage-ephemeral-workspaces',
  'can-manage-teams',
];

/** Access of a team to a project or a workspace, as parameters of the `grant-access` command. */
export interface Grant {
  readonly access: 'read' | 'plan' | 'write' | 'maintain' | 'admin' | 'custom';
  readonly [part: string]: string | boolean;
}

export interface Team {
  /** Permissions of the organization. */
  readonly permissions?: readonly string[];
  /** Access to the project of the workspace. */
  readonly project?: Grant;
  /** Access to the workspace. */
  readonly workspace?: Grant;
}

/** Origin of a caller's token and access. */
export type Origin =
  /**
   * Member of the teams, or the first team itself for `token: 'team'`.
   */
  | { readonly token: 'user' | 'team'; readonly teams: readonly (Team | 'owners')[] }
  | { readonly token: 'organization' | 'audit trails' }
  | { readonly token: 'other organization'; readonly kind: 'user' | 'organization' }
  | { readonly token: 'non-member' | 'site' }
  /** Run of the workspace, of a consumer of its state, of an unrelated workspace, or an ended run of the workspace. */
  | { readonly token: 'run'; readonly of: 'workspace' | 'consumer' | 'stranger' | 'ended' }
  /** Invalid token of an owner, so that only the token itself can be the reason for the rejection. */
  | { readonly token: 'expired' | 'revoked' | 'replaced' | 'mistyped' | 'none' };

export interface CallerRow {
  readonly name: string;
  readonly origin: Origin;
  /** Names of the rows that apply, from the caller's own to that of its class. */
  readonly rows: readonly string[];
  /** Keys that are true in the `permissions` of its workspace. Undefined if it cannot read the workspace. */
  readonly permissions?: readonly Permission[];
}

const owners: readonly CallerRow[] = [
  { name: 'an owner', origin: { token: 'user', teams: ['owners'] }, rows: ['owner'], permissions: EVERYTHING },
  {
    name: 'the token of the owners team',
    origin: { token: 'team', teams: ['owners'] },
    rows: ['owners team token', 'team token', 'owner'],
    permissions: EVERYTHING,
  },
];

/** Creates a caller whose team has one organization permission. The permission is also its row name. */
const withPermission = (
  permission: string,
  classes: readonly string[],
  permissions?: readonly Permission[],
): CallerRow => ({
  name: `a user whose team has ${permission}`,
  origin: { token: 'user', teams: [{ permissions: [permission, ...(coupled[permission] ?? [])] }] },
  rows: [permission, ...classes],
  ...(permissions && { permissions }),
});

/** Permissions that another permission requires (PERM-12). */
const coupled: Readonly<Record<string, readonly string[]>> = {
  'manage-projects': ['manage-workspaces', 'read-projects', 'read-workspaces'],
  'read-projects': ['read-workspaces'],
};

const organizationPermissions: readonly CallerRow[] = [
  withPermission('manage-workspaces', [], ADMIN),
  withPermission('manage-projects', [], ADMIN),
  withPermission('read-workspaces', ['read everywhere'], READ),
  withPermission('read-projects', ['read everywhere'], READ),
  withPermission('manage-agent-pools', ['read everywhere'], READ),
  // Policy permissions include reading runs, but not variables or states (PERM-12).
  withPermission('manage-policies', ['read runs everywhere', 'read everywhere'], RUNS_READ),
  withPermission('manage-policy-overrides', ['read runs everywhere', 'read everywhere'], RUNS_READ),
  ...[
    'manage-vcs-settings',
    'manage-run-tasks',
    'manage-modules',
    'manage-providers',
    'manage-membership',
    'manage-teams',
    'manage-organization-access',
    'access-secret-teams',
    'delegate-policy-overrides',
    'read-audit-trail',
  ].map((permission) => withPermission(permission, ['no access'])),
];

/** Permissions that each part of custom access adds to reading runs, for workspaces and projects. */
const parts: readonly { readonly part: Record<string, string | boolean>; readonly adds: readonly Permission[] }[] = [
  { part: {}, adds: [] },
  { part: { runs: 'read' }, adds: [] },
  { part: { runs: 'plan' }, adds: ['can-queue-run'] },
  { part: { runs: 'apply' }, adds: ['can-queue-run', 'can-queue-apply', 'can-queue-destroy'] },
  { part: { variables: 'none' }, adds: [] },
  { part: { variables: 'read' }, adds: ['can-read-variable'] },
  { part: { variables: 'write' }, adds: ['can-read-variable', 'can-update-variable'] },
  { part: { stateVersions: 'none' }, adds: [] },
  { part: { stateVersions: 'read-outputs' }, adds: ['can-read-state-outputs'] },
  { part: { stateVersions: 'read' }, adds: ['can-read-state-outputs', 'can-read-state-versions'] },
  {
    part: { stateVersions: 'write' },
    adds: ['can-read-state-outputs', 'can-read-state-versions', 'can-create-state-versions'],
  },
  { part: { sentinelMocks: 'read' }, adds: [] },
  { part: { workspaceLocking: true }, adds: ['can-lock', 'can-unlock'] },
  { part: { runTasks: true }, adds: ['can-manage-run-tasks'] },
  { part: { policyOverrides: true }, adds: [] },
];

/** Formats a part in its wire spelling, such as `state-versions read`. */
const describePart = (part: Record<string, unknown>): string => {
  const [[name, value] = ['nothing more', true]] = Object.entries(part);
  const spelled = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return value === true ? spelled : `${spelled} ${value}`;
};

const custom = (
  place: 'project' | 'workspace',
  part: Record<string, string | boolean>,
  adds: readonly Permission[],
): CallerRow => {
  const described = describePart(part);
  return {
    name: `a user with custom access to the ${place}: ${described}`,
    origin: { token: 'user', teams: [{ [place]: { access: 'custom', ...part } }] },
    rows: [`${place} custom ${described}`, `custom ${described}`, `${place} custom`, 'custom', `${place} read`],
    permissions: [...RUNS_READ, ...adds],
  };
};

const projectAccess: readonly CallerRow[] = [
  ...(
    [
      ['read', READ],
      ['write', WRITE],
      ['maintain', MAINTAIN],
      ['admin', ADMIN],
    ] as const
  ).map(
    ([access, permissions]): CallerRow => ({
      name: `a user with ${access} on the project`,
      origin: { token: 'user', teams: [{ project: { access } }] },
      rows: [`project ${access}`],
      permissions,
    }),
  ),
  ...parts.map(({ part, adds }) => custom('project', part, adds)),
  custom('project', { create: true }, []),
  custom('project', { delete: true }, ['can-destroy']),
  custom('project', { move: true }, []),
  custom('project', { variableSets: 'read' }, []),
  custom('project', { variableSets: 'write' }, []),
];

const workspaceAccess: readonly CallerRow[] = [
  ...(
    [
      ['read', READ, []],
      // `plan` is about runs. For the workspace itself it equals `read`.
      ['plan', PLAN, ['workspace read']],
      ['write', WRITE, []],
      ['admin', ADMIN, []],
    ] as const
  ).map(
    ([access, permissions, classes]): CallerRow => ({
      name: `a user with ${access} on the workspace`,
      origin: { token: 'user', teams: [{ workspace: { access } }] },
      rows: [`workspace ${access}`, ...classes],
      permissions,
    }),
  ),
  ...parts.map(({ part, adds }) => custom('workspace', part, adds)),
];

/** Callers with several grants. Their access is the union of all grants of all teams (PERM-1). */
const unions: readonly CallerRow[] = [
  {
    name: 'a user in two teams, one to plan and one to lock',
    origin: {
      token: 'user',
      teams: [
        { workspace: { access: 'plan' } },
        { workspace: { access: 'custom', workspaceLocking: true, stateVersions: 'read-outputs' } },
      ],
    },
    rows: ['workspace plan, and locking', 'workspace plan', 'workspace read'],
    permissions: [...PLAN, 'can-lock', 'can-unlock'],
  },
  {
    name: 'a user in a team with read-workspaces and admin on the workspace',
    origin: { token: 'user', teams: [{ permissions: ['read-workspaces'], workspace: { access: 'admin' } }] },
    rows: ['workspace admin, and read-workspaces', 'workspace admin'],
    permissions: ADMIN,
  },
  {
    name: 'a user in a team with write on the project, and another with admin on the workspace',
    origin: { token: 'user', teams: [{ project: { access: 'write' } }, { workspace: { access: 'admin' } }] },
    rows: ['workspace admin, and project write', 'workspace admin'],
    permissions: ADMIN,
  },
];

/** Creates a caller with a team token. `row` is the row of a user with the same access. */
const teamToken = (row: string, team: Team, permissions?: readonly Permission[]): CallerRow => ({
  name: `the token of a team with ${row}`,
  origin: { token: 'team', teams: [team] },
  rows: [`team token with ${row}`, 'team token', row],
  ...(permissions && { permissions }),
});

const tokens: readonly CallerRow[] = [
  {
    name: 'the token of the organization',
    origin: { token: 'organization' },
    rows: ['organization token'],
    permissions: ORGANIZATION_TOKEN,
  },
  {
    name: 'the token for the audit trails of the organization',
    origin: { token: 'audit trails' },
    rows: ['audit trail token', 'outsider'],
  },
  teamToken('workspace write', { workspace: { access: 'write' } }, WRITE),
  teamToken('project admin', { project: { access: 'admin' } }, ADMIN),
  teamToken('manage-workspaces', { permissions: ['manage-workspaces'] }, ADMIN),
  teamToken('no access', {}),
  { name: 'a member without access', origin: { token: 'user', teams: [{}] }, rows: ['no access'] },
  {
    name: 'a user of no organization',
    origin: { token: 'non-member' },
    rows: ['user of no organization', 'outsider'],
  },
  {
    name: "another organization's owner",
    origin: { token: 'other organization', kind: 'user' },
    rows: ["another organization's owner", 'outsider'],
  },
  {
    name: "another organization's token",
    origin: { token: 'other organization', kind: 'organization' },
    rows: ["another organization's token", 'outsider'],
  },
  { name: 'a site administrator', origin: { token: 'site' }, rows: ['site administrator', 'outsider'] },
  ...(
    [
      ['an expired token of an owner', 'expired', 'expired token'],
      ['a revoked token of an owner', 'revoked', 'revoked token'],
      ['a replaced token of the organization', 'replaced', 'replaced token'],
      ['a mistyped token of an owner', 'mistyped', 'mistyped token'],
      ['nobody, without a token', 'none', 'no token'],
    ] as const
  ).map(([name, token, row]) => ({ name, origin: { token }, rows: [row, 'no valid token'] })),
];

/** Runs can read the workspace and its states, but not its settings or variables. */
const STATE_READ: readonly Permission[] = [
  'can-read-run',
  'can-read-assessment-results',
  'can-read-state-outputs',
  'can-read-state-versions',
];
const runs: readonly CallerRow[] = [
  {
    name: 'a run of the workspace',
    origin: { token: 'run', of: 'workspace' },
    rows: ['own run', 'run with access', 'run', 'outsider'],
    permissions: [...STATE_READ, 'can-create-state-versions'],
  },
  {
    name: 'a run of a workspace that the state is shared with',
    origin: { token: 'run', of: 'consumer' },
    rows: ['run of a consumer', 'run with access', 'run', 'outsider'],
    permissions: STATE_READ,
  },
  {
    name: 'a run of a workspace that nothing is shared with',
    origin: { token: 'run', of: 'stranger' },
    rows: ['run of a stranger', 'run', 'outsider'],
  },
  {
    name: 'a run that has ended',
    origin: { token: 'run', of: 'ended' },
    rows: ['ended run', 'no valid token'],
  },
];

/** Callers by the origin of their access. The suites split by family. */
export const families = {
  organization: [...owners, ...organizationPermissions],
  project: projectAccess,
  workspace: [...workspaceAccess, ...unions],
  token: tokens,
  run: runs,
} as const satisfies Record<string, readonly CallerRow[]>;
export type Family = keyof typeof families;

export const callers: readonly CallerRow[] = Object.values(families).flat();

/** Reports whether the caller belongs to the organization. */
export const isMember = ({ rows }: CallerRow): boolean => !['outsider', 'no valid token'].includes(rows.at(-1) ?? '');

/** Returns the expected `permissions`. Workspace admins can force delete if the organization allows it, owners always (DEL-6). */
export const expectedPermissions = (
  { permissions = [] }: CallerRow,
  adminsForceDelete: boolean,
): Record<Permission, boolean> =>
  Object.fromEntries(
    permissionKeys.map((key) => [
      key,
      permissions.includes(key) ||
        (key === 'can-force-delete' && adminsForceDelete && permissions.includes('can-update')),
    ]),
  ) as Record<Permission, boolean>;
