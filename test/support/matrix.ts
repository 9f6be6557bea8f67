import type { RouteId } from '../../shared/routes.ts';

/**
 * Who may do what, written down from the specification (spec 5 and 7, contract 7.1 to 7.4 and 2.3, and what completes
 * them) and from nothing else: it must not share a line with the code that decides, or it would repeat its mistakes.
 */

/** A column of the matrix: one thing that a caller tries. */
export type Cell = (typeof cells)[number];

/** What each column stands for, in its order. `route` ties it to the route table. */
const columns = {
  'create in the default project': ['workspaces.create'],
  'create in the project': ['workspaces.create'],
  show: ['workspaces.show', 'workspaces.show-by-name'],
  list: ['workspaces.list'],
  update: ['workspaces.update', 'workspaces.update-by-name'],
  'move to a project without access': ['workspaces.update', 'workspaces.update-by-name'],
  'move to a project with read': ['workspaces.update', 'workspaces.update-by-name'],
  'move to a project with admin': ['workspaces.update', 'workspaces.update-by-name'],
  lock: ['workspaces.lock'],
  'unlock the own lock': ['workspaces.unlock'],
  "unlock another's lock": ['workspaces.unlock'],
  'force-unlock': ['workspaces.force-unlock'],
  'safe-delete': ['workspaces.safe-delete', 'workspaces.safe-delete-by-name'],
  'force-delete': ['workspaces.force-delete', 'workspaces.force-delete-by-name'],
  'force-delete where admins may': ['workspaces.force-delete', 'workspaces.force-delete-by-name'],
  ping: ['ping'],
} as const satisfies Record<string, readonly RouteId[]>;

export const cells = Object.keys(columns) as (keyof typeof columns)[];
/** The routes that a column goes through; the same is expected of each. */
export const routesOf = (cell: Cell): readonly RouteId[] => columns[cell];

/**
 * The status of every cell. `create` stands for both columns of that name, and so on, in the order of `columns`:
 *
 * - create: in the default project, where no project grant applies; in the project that the grants are on.
 * - move: to a project that the caller has nothing, read, and admin on, granted there beside what the row says.
 * - unlock: a lock of the caller's own (taken while it could, where it no longer may), and somebody else's.
 * - force-delete: with the organization's setting off, and on.
 */
const table = `
                       | create  | show | list | update | move        | lock | unlock  | force-unlock | safe-delete | force-delete | ping
owner                  | 201 201 | 200  | 200  | 200    | 200 200 200 | 200  | 200 409 | 200          | 204         | 204 204      | 204
manage-projects        | 201 201 | 200  | 200  | 200    | 200 200 200 | 200  | 200 409 | 200          | 204         | 403 204      | 204
manage-workspaces      | 201 201 | 200  | 200  | 200    | 403 403 403 | 200  | 200 409 | 200          | 204         | 403 204      | 204
organization token     | 201 201 | 200  | 200  | 200    | 200 200 200 | 404  | 404 404 | 200          | 204         | 403 204      | 204
read everywhere        | 404 404 | 200  | 200  | 404    | 403 403 403 | 404  | 404 404 | 404          | 404         | 403 403      | 204

project read           | 404 404 | 200  | 200  | 404    | 403 403 403 | 404  | 404 404 | 404          | 404         | 403 403      | 204
project write          | 404 404 | 200  | 200  | 404    | 403 403 403 | 200  | 200 409 | 404          | 404         | 403 403      | 204
project maintain       | 404 201 | 200  | 200  | 200    | 403 403 403 | 200  | 200 409 | 200          | 204         | 403 204      | 204
project admin          | 404 201 | 200  | 200  | 200    | 422 403 200 | 200  | 200 409 | 200          | 204         | 403 204      | 204
project custom create  | 404 201 | 200  | 200  | 404    | 403 403 403 | 404  | 404 404 | 404          | 404         | 403 403      | 204
project custom delete  | 404 404 | 200  | 200  | 404    | 403 403 403 | 404  | 404 404 | 404          | 204         | 403 403      | 204
project custom move    | 404 404 | 200  | 200  | 404    | 422 403 200 | 404  | 404 404 | 404          | 404         | 403 403      | 204

workspace read         | 404 422 | 200  | 200  | 404    | 403 403 403 | 404  | 404 404 | 404          | 404         | 403 403      | 204
workspace write        | 404 422 | 200  | 200  | 404    | 403 403 403 | 200  | 200 409 | 404          | 404         | 403 403      | 204
workspace admin        | 404 422 | 200  | 200  | 200    | 403 403 403 | 200  | 200 409 | 200          | 204         | 403 204      | 204

no access              | 404 422 | 404  | 200  | 404    | 404 404 404 | 404  | 404 404 | 404          | 404         | 404 404      | 204
outsider               | 404 404 | 404  | 404  | 404    | 404 404 404 | 404  | 404 404 | 404          | 404         | 404 404      | 204
no valid token         | 401 401 | 401  | 401  | 401    | 401 401 401 | 401  | 401 401 | 401          | 401         | 401 401      | 204
`;

export type Row =
  | 'owner'
  | 'manage-projects'
  | 'manage-workspaces'
  | 'organization token'
  | 'read everywhere'
  | `project ${'read' | 'write' | 'maintain' | 'admin' | `custom ${'create' | 'delete' | 'move'}`}`
  | `workspace ${'read' | 'write' | 'admin'}`
  | 'no access'
  | 'outsider'
  | 'no valid token';

const statuses = new Map(
  table
    .split('\n')
    .filter((line) => /^\S/.test(line))
    .map((line) => {
      const [name = '', ...columnsOfRow] = line.split('|').map((text) => text.trim());
      return [name, columnsOfRow.join(' ').split(/\s+/).map(Number)];
    }),
);

/** The status that the matrix gives each cell of a caller. */
export const expectedStatuses = ({ row, except }: CallerRow): Record<Cell, number> => {
  const found = statuses.get(row) ?? [];
  if (found.length !== cells.length) throw new Error(`The row ${row} has ${found.length} of ${cells.length} cells`);
  return { ...Object.fromEntries(cells.map((cell, index) => [cell, found[index]])), ...except } as Record<Cell, number>;
};

/** Keys of `permissions` (contract 2.3); `can-manage-hyok` is optional there, and not offered. */
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
const ADMIN: readonly Permission[] = [
  ...WRITE,
  'can-force-unlock',
  'can-update',
  'can-destroy',
  'can-manage-tags',
  'can-manage-run-tasks',
  'can-manage-assessments',
  'can-manage-ephemeral-workspaces',
];
const EVERYTHING: readonly Permission[] = permissionKeys;
/** It is nobody who could start a run, write state or hold a lock. */
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
];

/** What a team is given on a project or a workspace, as the `grant-access` command takes it. */
export interface Grant {
  readonly access: 'read' | 'plan' | 'write' | 'maintain' | 'admin' | 'custom';
  readonly [part: string]: string | boolean;
}

export interface Team {
  /** Of the whole organization. */
  readonly permissions?: readonly string[];
  /** On the project that the workspace is in. */
  readonly project?: Grant;
  /** On the workspace itself. */
  readonly workspace?: Grant;
}

/** How a caller comes by its token, and by its access. */
export type Origin =
  /** A member of the teams, or with `token: 'team'` the first team itself; `owners` is the team that may do everything. */
  | { readonly token: 'user' | 'team'; readonly teams: readonly (Team | 'owners')[] }
  | { readonly token: 'organization' }
  | { readonly token: 'other organization'; readonly kind: 'user' | 'organization' }
  | { readonly token: 'non-member' }
  /** Of an owner, so that nothing but the token itself can be why it is refused. */
  | { readonly token: 'expired' | 'revoked' | 'replaced' | 'mistyped' | 'none' };

export interface CallerRow {
  readonly name: string;
  readonly origin: Origin;
  readonly row: Row;
  /** Where it differs from its row. */
  readonly except?: Partial<Record<Cell, number>>;
  /** Which workspaces a list shows; undefined where there is no list. */
  readonly lists?: 'all' | 'those in the project' | 'the granted one' | 'none';
  /** What is true among `permissions`; undefined where the workspace cannot be seen. */
  readonly permissions?: readonly Permission[];
}

const owners: readonly CallerRow[] = (['user', 'team'] as const).map((token) => ({
  name: token === 'user' ? 'an owner' : 'the token of the owners team',
  origin: { token, teams: ['owners'] },
  row: 'owner',
  lists: 'all',
  permissions: EVERYTHING,
}));

/** Callers of one team with organization permissions. */
const withOrganizationPermissions = (
  name: string,
  permissions: readonly string[],
  expected: Pick<CallerRow, 'row' | 'lists' | 'permissions'>,
): CallerRow => ({
  name: `a user whose team has ${name}`,
  origin: { token: 'user', teams: [{ permissions }] },
  ...expected,
});

const readEverywhere = { row: 'read everywhere', lists: 'all', permissions: READ } as const;
/** Policies are about runs: neither variables nor state come with them (contract 7.1). */
const readRunsEverywhere = { row: 'read everywhere', lists: 'all', permissions: RUNS_READ } as const;
const nothing = { row: 'no access', lists: 'none' } as const;

const organizationPermissions: readonly CallerRow[] = [
  withOrganizationPermissions('manage-workspaces', ['manage-workspaces'], {
    row: 'manage-workspaces',
    lists: 'all',
    permissions: ADMIN,
  }),
  withOrganizationPermissions(
    'manage-projects, and what goes with it',
    ['manage-projects', 'manage-workspaces', 'read-projects', 'read-workspaces'],
    { row: 'manage-projects', lists: 'all', permissions: ADMIN },
  ),
  withOrganizationPermissions('read-workspaces', ['read-workspaces'], readEverywhere),
  withOrganizationPermissions('read-projects', ['read-projects', 'read-workspaces'], readEverywhere),
  withOrganizationPermissions('manage-agent-pools', ['manage-agent-pools'], readEverywhere),
  withOrganizationPermissions('manage-policies', ['manage-policies'], readRunsEverywhere),
  withOrganizationPermissions('manage-policy-overrides', ['manage-policy-overrides'], readRunsEverywhere),
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
  ].map((permission) => withOrganizationPermissions(permission, [permission], nothing)),
];

/** What each single part of custom access adds to reading runs, its floor; on workspaces and projects alike. */
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

const describePart = (part: Record<string, unknown>): string => {
  const [[name, value] = ['nothing more', true]] = Object.entries(part);
  return value === true ? name : `${name} ${value}`;
};

const customAccess = (place: 'project' | 'workspace'): readonly CallerRow[] =>
  parts.map(({ part, adds }) => ({
    name: `a user with custom access to the ${place}: ${describePart(part)}`,
    origin: { token: 'user', teams: [{ [place]: { access: 'custom', ...part } }] },
    row: `${place} ${'workspaceLocking' in part ? 'write' : 'read'}`,
    lists: place === 'project' ? 'those in the project' : 'the granted one',
    permissions: [...RUNS_READ, ...adds],
  }));

const projectAccess: readonly CallerRow[] = [
  ...(
    [
      ['read', READ],
      ['write', WRITE],
      ['maintain', ADMIN],
      ['admin', ADMIN],
    ] as const
  ).map(
    ([access, permissions]): CallerRow => ({
      name: `a user with ${access} on the project`,
      origin: { token: 'user', teams: [{ project: { access } }] },
      row: `project ${access}`,
      lists: 'those in the project',
      permissions,
    }),
  ),
  ...customAccess('project'),
  ...(['create', 'delete', 'move'] as const).map(
    (flag): CallerRow => ({
      name: `a user with custom access to the project: ${flag}`,
      origin: { token: 'user', teams: [{ project: { access: 'custom', [flag]: true } }] },
      row: `project custom ${flag}`,
      lists: 'those in the project',
      permissions: flag === 'delete' ? [...RUNS_READ, 'can-destroy'] : RUNS_READ,
    }),
  ),
];

const workspaceAccess: readonly CallerRow[] = [
  ...(
    [
      ['read', READ, 'read'],
      // Planning is a matter of runs: for the workspace itself it is reading.
      ['plan', PLAN, 'read'],
      ['write', WRITE, 'write'],
      ['admin', ADMIN, 'admin'],
    ] as const
  ).map(
    ([access, permissions, row]): CallerRow => ({
      name: `a user with ${access} on the workspace`,
      origin: { token: 'user', teams: [{ workspace: { access } }] },
      row: `workspace ${row}`,
      lists: 'the granted one',
      permissions,
    }),
  ),
  ...customAccess('workspace'),
];

/** Who sees the project is told that creating in it is not allowed; for the others it is an unknown one. */
const projectIsVisible = { 'create in the project': 404 };

/** Access is the union of all that was given, to all teams of a user: the most permissive wins (contract 7.1). */
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
    row: 'workspace write',
    lists: 'the granted one',
    permissions: [...PLAN, 'can-lock', 'can-unlock'],
  },
  {
    name: 'a user in a team with read-workspaces and admin on the workspace',
    origin: { token: 'user', teams: [{ permissions: ['read-workspaces'], workspace: { access: 'admin' } }] },
    row: 'workspace admin',
    except: projectIsVisible,
    lists: 'all',
    permissions: ADMIN,
  },
  {
    name: 'a user in a team with write on the project, and another with admin on the workspace',
    origin: { token: 'user', teams: [{ project: { access: 'write' } }, { workspace: { access: 'admin' } }] },
    row: 'workspace admin',
    except: projectIsVisible,
    lists: 'those in the project',
    permissions: ADMIN,
  },
];

const tokens: readonly CallerRow[] = [
  {
    name: 'the token of the organization',
    origin: { token: 'organization' },
    row: 'organization token',
    lists: 'all',
    permissions: ORGANIZATION_TOKEN,
  },
  {
    name: 'the token of a team with write on the workspace',
    origin: { token: 'team', teams: [{ workspace: { access: 'write' } }] },
    row: 'workspace write',
    lists: 'the granted one',
    permissions: WRITE,
  },
  {
    name: 'the token of a team with admin on the project',
    origin: { token: 'team', teams: [{ project: { access: 'admin' } }] },
    row: 'project admin',
    lists: 'those in the project',
    permissions: ADMIN,
  },
  {
    name: 'the token of a team with manage-workspaces',
    origin: { token: 'team', teams: [{ permissions: ['manage-workspaces'] }] },
    row: 'manage-workspaces',
    lists: 'all',
    permissions: ADMIN,
  },
  { name: 'the token of a team without access', origin: { token: 'team', teams: [{}] }, ...nothing },
  { name: 'a member without access', origin: { token: 'user', teams: [{}] }, ...nothing },
  { name: 'a user of no organization', origin: { token: 'non-member' }, row: 'outsider' },
  {
    name: "another organization's owner",
    origin: { token: 'other organization', kind: 'user' },
    row: 'outsider',
  },
  {
    name: "another organization's token",
    origin: { token: 'other organization', kind: 'organization' },
    row: 'outsider',
  },
  { name: 'an expired token of an owner', origin: { token: 'expired' }, row: 'no valid token' },
  { name: 'a revoked token of an owner', origin: { token: 'revoked' }, row: 'no valid token' },
  { name: 'a replaced token of the organization', origin: { token: 'replaced' }, row: 'no valid token' },
  { name: 'a mistyped token of an owner', origin: { token: 'mistyped' }, row: 'no valid token' },
  { name: 'nobody, without a token', origin: { token: 'none' }, row: 'no valid token' },
];

export const callers: readonly CallerRow[] = [
  ...owners,
  ...organizationPermissions,
  ...projectAccess,
  ...workspaceAccess,
  ...unions,
  ...tokens,
];

/** Workspace admins may force delete where the organization lets them, owners always (spec 5, contract 2.3). */
const mayForceDelete: readonly Row[] = [
  'owner',
  'manage-projects',
  'manage-workspaces',
  'organization token',
  'project maintain',
  'project admin',
  'workspace admin',
];

/** The whole `permissions` object that a caller sees. */
export const expectedPermissions = (
  { permissions = [], row }: CallerRow,
  adminsForceDelete: boolean,
): Record<Permission, boolean> =>
  Object.fromEntries(
    permissionKeys.map((key) => [
      key,
      permissions.includes(key) || (key === 'can-force-delete' && adminsForceDelete && mayForceDelete.includes(row)),
    ]),
  ) as Record<Permission, boolean>;
