import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  chooseAction,
  describeConsole,
  openConsole,
  screenshotFolder,
  takeScreenshots,
} from '../support/console/console.ts';
import {
  createGallery,
  EMPTY,
  GALLERY,
  galleryIds,
  galleryRun,
  LONG_NAME,
  readerToken,
  SMALL,
} from '../support/console/gallery.ts';
import { serveManyWorkspaces } from '../support/console/many-workspaces.ts';
import { serveSignIns } from '../support/console/sign-ins.ts';
import { serveStatistics } from '../support/console/statistics.ts';

/** Screenshots of every page and dialog of the console, for reviews by people. They check no more than that pages load. */

interface Screen {
  readonly name: string;
  /** Path of the console below the organization. Paths with ids are known when the organizations have been created. */
  readonly path?: string | (() => string);
  readonly organization?: string;
  /** A text of the page that shows that it is loaded. */
  readonly content?: string;
  /** Opens what the screenshot shows. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** The screenshot is as high as the page. */
  readonly isWhole?: boolean;
  readonly token?: () => string | false;
}

const network = '/workspaces/network';
const project = () => `/projects/${galleryIds.project}`;
const variableSet = () => `/variable-sets/${galleryIds.variableSet}`;
/** Request of a command line, as `/oauth2/authorize` hands it to the consent page. */
const LOGIN = `?port=10004&state=6f5902ac-237c-4b77-9be6-2f0b7d4c6fd7&code_challenge=${'a'.repeat(43)}`;
const click =
  (name: string, exact = true) =>
  async (page: Page) =>
    page.getByRole('button', { name, exact }).click();
const choose = (label: string, row: string) => (page: Page) => chooseAction(page, label, row);
const inDialog = (page: Page) => page.getByRole('dialog').last();

const selectCore = async (page: Page, action: string) => {
  for (const name of ['network', 'billing', 'identity'])
    await page.getByLabel(`Select ${name}`, { exact: true }).check();
  await page.getByRole('button', { name: 'Change…' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
};

const previewVersion = async (page: Page) => {
  await selectCore(page, 'Set the tool version');
  await page.getByRole('textbox', { name: 'Tool version' }).fill('1.9.8');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Change \d/ }).waitFor();
};

const screens: readonly Screen[] = [
  { name: 'sign-in', token: () => false, content: 'Where do I get a token?' },
  {
    name: 'sign-in-refused',
    token: () => false,
    content: 'Where do I get a token?',
    open: async (page) => {
      await page.getByLabel('Token').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('does not accept this token').waitFor();
      await page.getByText('Where do I get a token?').click();
    },
  },
  {
    name: 'home',
    path: '',
    content: 'State changed',
    isWhole: true,
    open: async (page) => {
      await serveStatistics(page, GALLERY);
      await page.reload();
      await page.getByText('1,284').waitFor();
    },
  },
  { name: 'home-of-a-reader', path: '', content: 'Only owners see changes', isWhole: true, token: () => readerToken },
  { name: 'home-none', organization: EMPTY, path: '', content: 'There are no workspaces yet' },
  { name: 'workspaces', path: '/workspaces', content: 'observability' },
  { name: 'workspaces-one', organization: SMALL, path: '/workspaces', content: 'only' },
  {
    name: 'workspaces-none',
    organization: EMPTY,
    path: '/workspaces',
    content: 'There are no workspaces yet',
    isWhole: true,
  },
  {
    name: 'workspaces-many',
    path: '/workspaces',
    content: 'observability',
    open: async (page) => {
      const response = await page.request.get(
        new URL(`/api/v2/organizations/${GALLERY}/workspaces?page[size]=1`, page.url()).href,
        {
          headers: { authorization: `Bearer ${await page.evaluate(() => sessionStorage.getItem('holdfast.token'))}` },
        },
      );
      await serveManyWorkspaces(page, (await response.json()).data[0]);
      await page.reload();
      await page.getByRole('link', { name: 'workspace-0', exact: true }).waitFor();
    },
  },
  {
    name: 'workspaces-filters',
    path: '/workspaces?locked=true&mode=local,remote&tags=core',
    content: 'network',
    open: click('Filters'),
  },
  { name: 'workspaces-no-match', path: '/workspaces?name=nothing', content: 'No workspace matches' },
  {
    name: 'workspaces-exact-times',
    path: '/workspaces',
    content: 'observability',
    open: (page) => page.keyboard.press('t'),
  },
  {
    name: 'workspace-create',
    path: '/workspaces',
    content: 'observability',
    open: async (page) => {
      await click('New workspace')(page);
      await inDialog(page).getByLabel('Name').fill('not a name');
      await page.keyboard.press('Enter');
      await page.locator('.field-error').waitFor();
    },
  },
  { name: 'bulk-tags', path: '/workspaces', content: 'observability', open: (page) => selectCore(page, 'Add tags') },
  { name: 'bulk-preview', path: '/workspaces', content: 'observability', open: previewVersion },
  {
    name: 'bulk-applied',
    path: '/workspaces',
    content: 'observability',
    open: async (page) => {
      await previewVersion(page);
      await page.getByRole('button', { name: /^Change \d/ }).click();
      await page.getByText('complete', { exact: true }).waitFor();
    },
  },
  { name: 'bulk-jobs', path: '/bulk-jobs', content: 'Edit settings' },
  {
    name: 'bulk-menu',
    path: '/workspaces',
    content: 'observability',
    open: async (page) => {
      await page.getByLabel('Select dns', { exact: true }).check();
      await click('Change…')(page);
    },
  },
  {
    name: 'palette',
    path: '/workspaces',
    content: 'observability',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('net');
      await page.getByRole('option', { name: /network-staging/ }).waitFor();
    },
  },
  { name: 'shortcuts', path: '/workspaces', content: 'observability', open: (page) => page.keyboard.press('?') },
  { name: 'account-menu', path: '/workspaces', content: 'observability', open: click('Account and display') },
  {
    name: 'navigation',
    path: '/workspaces',
    content: 'observability',
    open: async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await click('Open the navigation')(page);
    },
  },
  { name: 'workspace', path: network, content: 'The last 5 runs', isWhole: true },
  { name: 'workspace-state', path: '/workspaces/data-platform', content: 'By module', isWhole: true },
  { name: 'workspace-unlocked', path: '/workspaces/dns', content: 'Not locked', isWhole: true },
  { name: 'workspace-locked-by-team', path: '/workspaces/billing', content: 'Locked by', isWhole: true },
  {
    name: 'workspace-long-name',
    path: `/workspaces/${LONG_NAME}`,
    content: 'Locked by',
  },
  {
    name: 'workspace-read-only',
    path: network,
    content: 'Locked by',
    token: () => readerToken,
    open: (page) => page.getByRole('button', { name: 'Force-unlock' }).focus(),
  },
  { name: 'lock', path: '/workspaces/dns', content: 'Not locked', open: click('Lock') },
  { name: 'force-unlock', path: '/workspaces/billing', content: 'Locked by', open: click('Force-unlock') },
  { name: 'variables', path: `${network}/variables`, content: 'PASSWORD' },
  {
    name: 'variables-none',
    organization: SMALL,
    path: '/workspaces/only/variables',
    content: 'There are no variables yet',
    isWhole: true,
  },
  { name: 'variable-add', path: `${network}/variables`, content: 'PASSWORD', open: click('Add variable') },
  {
    name: 'variable-edit-sensitive',
    path: `${network}/variables`,
    content: 'PASSWORD',
    open: click('Edit PASSWORD (environment)'),
  },
  {
    name: 'variable-delete',
    path: `${network}/variables`,
    content: 'PASSWORD',
    open: click('Delete PASSWORD (environment)'),
  },
  {
    name: 'curl',
    path: `${network}/variables`,
    content: 'PASSWORD',
    open: async (page) => {
      await click('Delete PASSWORD (environment)')(page);
      await click('Show as curl')(page);
    },
  },
  { name: 'state', path: `${network}/state`, content: 'vpc_id', isWhole: true },
  { name: 'state-none', organization: SMALL, path: '/workspaces/only/state', content: 'There is no state yet' },
  {
    name: 'state-compare',
    path: `${network}/state`,
    content: 'vpc_id',
    open: async (page) => {
      await page.getByLabel('Compare version 1').check();
      await page.getByLabel('Compare version 2').check();
      await click('Compare')(page);
      await page.getByText(/1 added/).waitFor();
    },
  },
  {
    name: 'state-rollback',
    path: `${network}/state`,
    content: 'vpc_id',
    open: async (page) => {
      await click('More actions on version 1')(page);
      await page.getByRole('menuitem', { name: 'Roll back to it' }).click();
      await page.getByText(/\d removed/).waitFor();
    },
  },
  {
    name: 'state-resources',
    path: `${network}/state/current`,
    content: 'aws_subnet.zone_5',
    isWhole: true,
    open: (page) => page.locator('summary', { hasText: 'aws_subnet.zone_2' }).click(),
  },
  {
    name: 'state-resources-grouped',
    path: '/workspaces/data-platform/state/current?group=module&module=module.network',
    content: '16 resources in 2 modules',
    isWhole: true,
  },
  { name: 'runs', path: `${network}/runs`, content: 'zone 7', isWhole: true },
  { name: 'run', path: `/workspaces/dns/runs/${galleryRun}`, content: 'Show in the history', isWhole: true },
  {
    name: 'run-in-progress',
    path: `${network}/runs/run-1111111111111181`,
    content: 'Show in the history',
    isWhole: true,
  },
  { name: 'run-not-found', path: `${network}/runs/run-1111111111111100`, content: 'Run not found' },
  { name: 'runs-none', organization: SMALL, path: '/workspaces/only/runs', content: 'No runs yet' },
  { name: 'history', path: `${network}/history`, content: 'Consumers added: dns', isWhole: true },
  { name: 'history-none', path: `${network}/history?action=workspace.moved`, content: 'No change matches' },
  {
    name: 'consumers',
    path: `${network}/consumers`,
    content: 'search',
    isWhole: true,
    open: async (page) => {
      await click('Find the workspaces')(page);
      await page.getByRole('rowheader', { name: 'zones' }).waitFor();
    },
  },
  { name: 'access', path: '/workspaces/billing/access', content: 'platform-engineers' },
  { name: 'access-add', path: '/workspaces/billing/access', content: 'platform-engineers', open: click('Add team') },
  {
    name: 'access-custom',
    path: '/workspaces/billing/access',
    content: 'platform-engineers',
    open: async (page) => {
      await click('Edit platform-engineers')(page);
      await inDialog(page).getByLabel('Access', { exact: true }).selectOption('custom');
    },
  },
  {
    name: 'retention-change',
    path: `${network}/retention`,
    content: 'All versions are kept',
    open: click('Edit the retention'),
  },
  { name: 'settings', path: `${network}/settings`, content: 'All attributes', isWhole: true },
  {
    name: 'settings-repository',
    path: `${network}/settings`,
    content: 'All attributes',
    isWhole: true,
    open: async (page) => {
      await page.getByLabel('Execution mode').selectOption('Remote');
      await page.getByLabel('VCS connection').selectOption('GitHub');
      await page.getByLabel('Repository', { exact: true }).fill('acme');
      await click('Save')(page);
      await page.locator('.field-error').first().waitFor();
    },
  },
  { name: 'delete-safely', path: `${network}/settings`, content: 'All attributes', open: click('Delete safely') },
  { name: 'force-delete', path: `${network}/settings`, content: 'All attributes', open: click('Force delete') },
  { name: 'ssh-key', path: `${network}/settings`, content: 'All attributes', open: click('Edit the SSH key') },
  { name: 'tags', path: network, content: 'The last 5 runs', open: click('Edit tags') },
  { name: 'locks', path: '/locks', content: 'Migrating the state' },
  { name: 'locks-none', organization: SMALL, path: '/locks', content: 'No workspace is locked' },
  { name: 'deleted-workspaces', path: '/deleted-workspaces', content: 'retired' },
  { name: 'restore', path: '/deleted-workspaces', content: 'retired', open: click('Restore retired') },
  {
    name: 'delete-permanently',
    path: '/deleted-workspaces',
    content: 'retired',
    open: click('Delete permanently retired'),
  },
  { name: 'projects', path: '/projects', content: 'Platform' },
  { name: 'project', path: project, content: 'Common settings', isWhole: true },
  { name: 'project-not-found', path: '/projects/prj-1111111111111111', content: 'Project not found' },
  { name: 'project-edit', path: project, content: 'Common settings', open: click('Edit') },
  { name: 'project-tags', path: project, content: 'Common settings', open: click('Edit tags') },
  { name: 'project-access-add', path: project, content: 'Common settings', open: click('Add team') },
  {
    name: 'project-access-custom',
    path: project,
    content: 'Common settings',
    open: async (page) => {
      await click('Edit platform-engineers')(page);
      await inDialog(page).getByLabel('Access', { exact: true }).selectOption('custom');
    },
  },
  { name: 'variable-sets', path: '/variable-sets', content: 'Enforced region' },
  { name: 'variable-set-create', path: '/variable-sets', content: 'Enforced region', open: click('New variable set') },
  { name: 'variable-set', path: variableSet, content: 'Rotated monthly', isWhole: true },
  { name: 'variable-set-edit', path: variableSet, content: 'Rotated monthly', open: click('Edit') },
  {
    name: 'variable-set-variable-edit',
    path: variableSet,
    content: 'TOKEN',
    open: click('Edit TOKEN (environment)'),
  },
  {
    name: 'variable-set-menu',
    path: variableSet,
    content: 'Rotated monthly',
    open: click('Options of the page'),
  },
  { name: 'variable-set-assign', path: variableSet, content: 'Rotated monthly', open: click('Add workspace') },
  {
    name: 'variable-set-not-found',
    path: '/variable-sets/varset-1111111111111111',
    content: 'Variable set not found',
  },
  {
    name: 'variable-edit-overridden',
    path: `${network}/variables`,
    content: 'PASSWORD',
    open: (page) => page.getByRole('button', { name: 'Edit region', disabled: false }).click(),
  },
  { name: 'variable-keys', path: '/variables?key=p', content: 'PASSWORD' },
  { name: 'variable-keys-none', path: '/variables?key=nothing', content: 'No key begins with' },
  { name: 'teams', path: '/teams', content: 'readers' },
  { name: 'team', path: () => `/teams/${galleryIds.team}`, content: 'Access to projects', isWhole: true },
  { name: 'team-edit', path: () => `/teams/${galleryIds.team}`, content: 'Access to projects', open: click('Edit') },
  {
    name: 'team-member-add',
    path: () => `/teams/${galleryIds.team}`,
    content: 'Access to projects',
    open: click('Add member'),
  },
  { name: 'team-not-found', path: '/teams/team-1111111111111111', content: 'Team not found' },
  { name: 'members', path: '/members', content: 'ada@example.com' },
  { name: 'member', path: () => `/members/${galleryIds.user}`, content: 'ada@example.com', isWhole: true },
  {
    name: 'member-add-to-team',
    path: () => `/members/${galleryIds.user}`,
    content: 'ada@example.com',
    open: click('Add to a team'),
  },
  { name: 'member-invited', path: () => `/members/${galleryIds.invited}`, content: 'invited', isWhole: true },
  { name: 'member-invite', path: '/members', content: 'ada@example.com', open: click('Invite') },
  { name: 'api-tokens', path: '/api-tokens', content: 'Team tokens', isWhole: true },
  {
    name: 'api-token-new',
    path: '/api-tokens',
    content: 'Team tokens',
    open: async (page) => {
      await click('New team token')(page);
      await page.getByLabel('Team', { exact: true }).selectOption({ index: 1 });
      await page.getByLabel('Description').fill(`pipeline ${Date.now()}`);
      await page.getByRole('button', { name: 'Create', exact: true }).last().click();
      await page.getByText('It is shown only now.').waitFor();
    },
  },
  {
    name: 'token-lifetimes',
    organization: SMALL,
    path: '/api-tokens',
    content: 'New tokens may be valid for any time.',
    isWhole: true,
    open: async (page) => {
      await click('Edit the limits')(page);
      await click('Save')(page);
      await page.getByRole('button', { name: 'Lift the limits' }).waitFor();
    },
  },
  {
    name: 'token-lifetimes-edit',
    path: '/api-tokens',
    content: 'New tokens may be valid for any time.',
    open: click('Edit the limits'),
  },
  { name: 'workload-identities', path: '/workload-identities', content: 'deploy-network' },
  {
    name: 'workload-identities-none',
    organization: SMALL,
    path: '/workload-identities',
    content: 'There are no workload identities',
  },
  {
    name: 'workload-identity-create',
    path: '/workload-identities',
    content: 'deploy-network',
    open: async (page) => {
      await click('New workload identity')(page);
      await page.getByLabel('Only some projects and workspaces').check();
      await page.getByLabel('Workspace (optional)').fill('network');
      await click('Add workspace')(page);
      await page.getByRole('list', { name: 'Chosen workspaces' }).getByText('network').waitFor();
    },
  },
  {
    name: 'workload-identity-edit',
    path: '/workload-identities',
    content: 'deploy-network',
    open: async (page) => {
      await choose('Edit', 'deploy-data')(page);
      await page.getByLabel('Values').waitFor();
    },
  },
  {
    name: 'workload-identity-test',
    path: '/workload-identities',
    content: 'deploy-network',
    open: async (page) => {
      await choose('Test', 'deploy-network')(page);
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = { iss: 'https://example.com', aud: 'https://holdfast.example.com', sub: LONG_NAME };
      await page.getByLabel('Identity token').fill(`${encode({ alg: 'RS256' })}.${encode(claims)}.c2ln`);
      await inDialog(page).getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('gets no token').waitFor();
    },
  },
  {
    name: 'workload-identity-set-up',
    path: '/workload-identities',
    content: 'deploy-network',
    open: choose('Set up', 'deploy-network'),
  },
  { name: 'agent-pools', path: '/agent-pools', content: 'On premises' },
  { name: 'ssh-keys', path: '/ssh-keys', content: 'Modules' },
  { name: 'ssh-key-add', path: '/ssh-keys', content: 'Modules', open: click('New SSH key') },
  { name: 'vcs-connections', path: '/vcs-connections', content: 'GitHub' },
  { name: 'reserved-tags', path: '/reserved-tags', content: 'environment' },
  { name: 'audit-trail', path: '/audit-trail', content: 'Default Project', isWhole: true },
  { name: 'organization-settings', path: '/settings', content: 'All attributes', isWhole: true },
  { name: 'organizations', organization: '', path: '?all=true', content: 'owner@example.com' },
  { name: 'your-tokens', organization: 'settings', path: '/tokens', content: 'Your tokens' },
  { name: 'login', organization: 'settings', path: `/login${LOGIN}`, content: 'Allow a token for this computer?' },
  {
    name: 'login-denied',
    organization: 'settings',
    path: `/login${LOGIN}`,
    content: 'Allow a token for this computer?',
    open: click('Deny'),
  },
  {
    name: 'login-copy',
    organization: 'settings',
    path: `/login${LOGIN}`,
    content: 'Allow a token for this computer?',
    open: async (page) => {
      await click('Copy a token instead')(page);
      await page.getByText('It is shown only now.').waitFor();
    },
  },
  { name: 'device', organization: 'device', content: 'The terminal shows it' },
  {
    name: 'your-sessions',
    organization: 'settings',
    path: '/sessions',
    content: 'You are signed in with a token',
    open: async (page) => {
      await serveSignIns(page, LONG_NAME);
      await page.reload();
      await page.getByText('this session').waitFor();
    },
  },
  {
    name: 'session-end',
    organization: 'settings',
    path: '/sessions',
    content: 'You are signed in with a token',
    open: async (page) => {
      await serveSignIns(page, LONG_NAME);
      await page.reload();
      await click('End all others')(page);
    },
  },
  {
    name: 'linked-identities',
    organization: 'settings',
    path: '/linked-identities',
    content: 'You have no linked identity',
    open: async (page) => {
      await serveSignIns(page, LONG_NAME);
      await page.reload();
      await page.getByText('keycloak').waitFor();
    },
  },
  { name: 'command-line', organization: 'settings', path: '/command-line', content: 'Install or update' },
  { name: 'not-found', path: '/workspaces/missing', content: 'not found' },
  {
    name: 'offline',
    path: '/locks',
    content: 'Migrating the state',
    open: async (page) => {
      await page.route('**/api/**', (route) => route.abort());
      await page.getByRole('link', { name: 'Projects' }).click();
      await page.getByText('The service does not respond').first().waitFor();
    },
  },
];

describe.skipIf(screenshotFolder === undefined)('with a folder for screenshots', () => {
  describeConsole('the gallery', () => {
    beforeAll(createGallery);

    it.each(screens)(
      'shows $name',
      async ({ name, path = '', organization = GALLERY, content, open, isWhole, token }) => {
        const given = token?.();
        const { page } = await openConsole(`/app/${organization}${typeof path === 'string' ? path : path()}`, {
          ...(given !== undefined && { token: given }),
          expectedComplaints: /./,
          viewport: { width: 1280, height: 800 },
        });
        if (content !== undefined) await page.getByText(content).filter({ visible: true }).first().waitFor();
        page.setDefaultTimeout(15_000);
        await open?.(page);
        await page.waitForLoadState('networkidle');
        await takeScreenshots(page, name, isWhole);
        await expect.poll(() => page.getByText('This page has failed').count()).toBe(0);
      },
    );
  });
});
