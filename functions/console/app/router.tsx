import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { takeOverSession } from './api/other-tabs.ts';
import { sessionToken } from './api/session.ts';
import { ErrorPage, NotFoundPage } from './layout/error-page.tsx';
import { Shell } from './layout/shell.tsx';
import { validateHistorySearch } from './lib/history-search.ts';
import { validateWorkspaceSearch } from './pages/workspaces/search.ts';

/** All routes of the console, below `/app`. The code of a page is loaded when it is first opened. */

const organizationPages = () => import('./pages/organization/pages.ts');
const workspacePages = () => import('./pages/workspace/pages.ts');

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage, errorComponent: ErrorPage });

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Keeps the search parameters with these names. */
const searchOf =
  <N extends string>(...names: readonly N[]) =>
  (search: Readonly<Record<string, unknown>>): { readonly [K in N]?: string } =>
    Object.fromEntries(names.flatMap((name) => (text(search[name]) === undefined ? [] : [[name, search[name]]]))) as {
      readonly [K in N]?: string;
    };

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // The page to continue with, and why the user has to sign in.
  validateSearch: searchOf('to', 'reason'),
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignInPage'),
});

const signInLink = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/link',
  component: lazyRouteComponent(() => import('./pages/sign-in-link-page.tsx'), 'SignInLinkPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if (sessionToken() !== null || (await takeOverSession())) return;
    const to = location.pathname + location.searchStr;
    throw redirect({ to: '/sign-in', search: to === '/' ? {} : { to } });
  },
  component: Shell,
});

const organizations = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: (search): { readonly all?: 'true' } => (search['all'] === 'true' ? { all: 'true' } : {}),
  component: lazyRouteComponent(() => import('./pages/organizations-page.tsx'), 'OrganizationsPage'),
});

const userTokens = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/tokens',
  component: lazyRouteComponent(() => import('./pages/user-tokens-page.tsx'), 'UserTokensPage'),
});

const sessions = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/sessions',
  component: lazyRouteComponent(() => import('./pages/sessions-page.tsx'), 'SessionsPage'),
});

const linkedIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/linked-identities',
  component: lazyRouteComponent(() => import('./pages/linked-identities-page.tsx'), 'LinkedIdentitiesPage'),
});

const login = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/login',
  // The request of a command line, which `/oauth2/authorize` has checked.
  validateSearch: searchOf('port', 'state', 'code_challenge'),
  component: lazyRouteComponent(() => import('./pages/login-page.tsx'), 'LoginPage'),
});

const device = createRoute({
  getParentRoute: () => signedIn,
  path: '/device',
  component: lazyRouteComponent(() => import('./pages/device-page.tsx'), 'DevicePage'),
});

const commandLine = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/command-line',
  component: lazyRouteComponent(() => import('./pages/command-line-page.tsx'), 'CommandLinePage'),
});

const organization = createRoute({ getParentRoute: () => signedIn, path: '/$organization' });

const home = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(organizationPages, 'HomePage'),
});

const workspaces = createRoute({
  getParentRoute: () => organization,
  path: '/workspaces',
  validateSearch: validateWorkspaceSearch,
  component: lazyRouteComponent(() => import('./pages/workspaces/workspaces-page.tsx'), 'WorkspacesPage'),
});

const locks = createRoute({
  getParentRoute: () => organization,
  path: '/locks',
  component: lazyRouteComponent(organizationPages, 'LocksPage'),
});

const workspace = createRoute({
  getParentRoute: () => organization,
  path: '/workspaces/$workspace',
  component: lazyRouteComponent(workspacePages, 'WorkspaceLayout'),
});

const findWorkspace = createRoute({
  getParentRoute: () => organization,
  path: '/workspace-ids/$id',
  // Id of a run of the workspace, whose page is opened.
  validateSearch: searchOf('run'),
  component: lazyRouteComponent(() => import('./pages/find-workspace-page.tsx'), 'FindWorkspacePage'),
});

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(workspacePages, 'OverviewPage'),
});

const variables = createRoute({
  getParentRoute: () => workspace,
  path: '/variables',
  component: lazyRouteComponent(workspacePages, 'VariablesPage'),
});

const workspaceSettings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyRouteComponent(workspacePages, 'SettingsPage'),
});

const state = createRoute({
  getParentRoute: () => workspace,
  path: '/state',
  // Ids of the state versions that are compared.
  validateSearch: (search): { readonly older?: string; readonly newer?: string } => {
    const [older, newer] = [text(search['older']), text(search['newer'])];
    return older !== undefined && newer !== undefined ? { older, newer } : {};
  },
  component: lazyRouteComponent(workspacePages, 'StatePage'),
});

/** By the id of the state version, or `current`. The parameters search, group and filter its resources. */
const stateVersion = createRoute({
  getParentRoute: () => workspace,
  path: '/state/$version',
  validateSearch: searchOf('search', 'group', 'type', 'module'),
  component: lazyRouteComponent(workspacePages, 'StateVersionPage'),
});

const runs = createRoute({
  getParentRoute: () => workspace,
  path: '/runs',
  validateSearch: searchOf('group', 'search'),
  component: lazyRouteComponent(workspacePages, 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => workspace,
  path: '/runs/$run',
  component: lazyRouteComponent(workspacePages, 'RunPage'),
});

const history = createRoute({
  getParentRoute: () => workspace,
  path: '/history',
  validateSearch: validateHistorySearch,
  component: lazyRouteComponent(workspacePages, 'HistoryPage'),
});

const consumers = createRoute({
  getParentRoute: () => workspace,
  path: '/consumers',
  component: lazyRouteComponent(workspacePages, 'ConsumersPage'),
});

const access = createRoute({
  getParentRoute: () => workspace,
  path: '/access',
  component: lazyRouteComponent(workspacePages, 'AccessPage'),
});

const retention = createRoute({
  getParentRoute: () => workspace,
  path: '/retention',
  // The settings have it. Addresses of earlier releases lead to them.
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$organization/workspaces/$workspace/settings', params, replace: true });
  },
});

const deletedWorkspaces = createRoute({
  getParentRoute: () => organization,
  path: '/deleted-workspaces',
  component: lazyRouteComponent(organizationPages, 'DeletedWorkspacesPage'),
});

const bulkJobs = createRoute({
  getParentRoute: () => organization,
  path: '/bulk-jobs',
  component: lazyRouteComponent(organizationPages, 'BulkJobsPage'),
});

const bulkJob = createRoute({
  getParentRoute: () => organization,
  path: '/bulk-jobs/$id',
  validateSearch: searchOf('show'),
  component: lazyRouteComponent(organizationPages, 'BulkJobPage'),
});

const projects = createRoute({
  getParentRoute: () => organization,
  path: '/projects',
  component: lazyRouteComponent(organizationPages, 'ProjectsPage'),
});

/**
 * The address of a project has its id, which stays when the project gets another name, and which filters and histories have. The
 * page shows the name. The same holds for variable sets, teams and runs.
 */
const project = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project',
  component: lazyRouteComponent(organizationPages, 'ProjectPage'),
});

const variableSets = createRoute({
  getParentRoute: () => organization,
  path: '/variable-sets',
  component: lazyRouteComponent(organizationPages, 'VariableSetsPage'),
});

const variableSet = createRoute({
  getParentRoute: () => organization,
  path: '/variable-sets/$variableSet',
  component: lazyRouteComponent(organizationPages, 'VariableSetPage'),
});

/** Variables of all workspaces and variable sets. */
const variableKeys = createRoute({
  getParentRoute: () => organization,
  path: '/variables',
  // Beginning of their keys.
  validateSearch: searchOf('key'),
  component: lazyRouteComponent(organizationPages, 'VariableKeysPage'),
});

const teams = createRoute({
  getParentRoute: () => organization,
  path: '/teams',
  component: lazyRouteComponent(organizationPages, 'TeamsPage'),
});

const team = createRoute({
  getParentRoute: () => organization,
  path: '/teams/$team',
  component: lazyRouteComponent(organizationPages, 'TeamPage'),
});

const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: lazyRouteComponent(organizationPages, 'MembersPage'),
});

/** By the id of the membership or of the user: histories have either. */
const member = createRoute({
  getParentRoute: () => organization,
  path: '/members/$member',
  component: lazyRouteComponent(organizationPages, 'MemberPage'),
});

/** Not `/tokens`: an organization may be called `settings`, and `/settings/tokens` is the page of the user. */
const apiTokens = createRoute({
  getParentRoute: () => organization,
  path: '/api-tokens',
  component: lazyRouteComponent(organizationPages, 'ApiTokensPage'),
});

const workloadIdentities = createRoute({
  getParentRoute: () => organization,
  path: '/workload-identities',
  component: lazyRouteComponent(organizationPages, 'WorkloadIdentitiesPage'),
});

const agentPools = createRoute({
  getParentRoute: () => organization,
  path: '/agent-pools',
  component: lazyRouteComponent(organizationPages, 'AgentPoolsPage'),
});

const sshKeys = createRoute({
  getParentRoute: () => organization,
  path: '/ssh-keys',
  component: lazyRouteComponent(organizationPages, 'SshKeysPage'),
});

const vcsConnections = createRoute({
  getParentRoute: () => organization,
  path: '/vcs-connections',
  component: lazyRouteComponent(organizationPages, 'VcsConnectionsPage'),
});

const reservedTags = createRoute({
  getParentRoute: () => organization,
  path: '/reserved-tags',
  component: lazyRouteComponent(organizationPages, 'ReservedTagsPage'),
});

const auditTrail = createRoute({
  getParentRoute: () => organization,
  path: '/audit-trail',
  validateSearch: validateHistorySearch,
  component: lazyRouteComponent(organizationPages, 'AuditTrailPage'),
});

const organizationSettings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(organizationPages, 'OrganizationSettingsPage'),
});

const routeTree = root.addChildren([
  signIn,
  signInLink,
  signedIn.addChildren([
    organizations,
    userTokens,
    sessions,
    linkedIdentities,
    login,
    device,
    commandLine,
    organization.addChildren([
      home,
      workspaces,
      findWorkspace,
      locks,
      bulkJobs,
      bulkJob,
      deletedWorkspaces,
      projects,
      project,
      variableSets,
      variableSet,
      variableKeys,
      teams,
      team,
      members,
      member,
      apiTokens,
      workloadIdentities,
      agentPools,
      sshKeys,
      vcsConnections,
      reservedTags,
      auditTrail,
      organizationSettings,
      workspace.addChildren([
        overview,
        variables,
        state,
        stateVersion,
        runs,
        run,
        history,
        consumers,
        access,
        retention,
        workspaceSettings,
      ]),
    ]),
  ]),
]);

/** Search parameters are plain texts, so that links are readable and can be written by hand. */
const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  if (entries.length === 0) return '';
  const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  // Commas separate values of filters. They are allowed in a query, and easier to read.
  return `?${query.toString().replaceAll('%2C', ',')}`;
};

/** Creates the router of the console. */
export const createConsoleRouter = () =>
  createRouter({
    routeTree,
    basepath: '/app',
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // A page of another organization or workspace starts anew: nothing that was entered, selected or found stays.
    defaultRemountDeps: ({ params }) => params,
    // The router keeps positions for each entry of the history. What scrolls returns to its own: the router would also give that
    // of a table to the table of the next page.
    scrollRestoration: () => false,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
