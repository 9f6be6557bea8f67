import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  openConsole,
  ownerToken,
  request,
} from '../support/console/console.ts';

/** A button, and the request that it leads to. The content of most requests is invalid: callers who may not send them get 404. */
interface Probe {
  /** Link of the navigation to the page. */
  readonly page: string;
  readonly button: string;
  /** Path of the request, below the organization. */
  readonly path: string;
  readonly type: string;
  readonly method?: string;
  readonly attributes?: object;
}

/** A button of the page of one resource, with a request that changes nothing. */
interface PageProbe extends Pick<Probe, 'button' | 'path' | 'method'> {
  /** Address below the organization. */
  readonly page: string;
  /** Matches the heading of the page, or of the one that says that the caller may not see it and has no buttons. */
  readonly heading: RegExp;
  readonly data?: object;
}

/** Lists that a team may not read, the account of a token that has none, and tokens that do not exist. */
const refusals = /404 \(Not Found\)/;

let names = 0;

const probes: readonly Probe[] = [
  { page: 'Workspaces', button: 'New workspace', path: '/workspaces', type: 'workspaces' },
  { page: 'Projects', button: 'New project', path: '/projects', type: 'projects' },
  { page: 'Variable sets', button: 'New variable set', path: '/varsets', type: 'varsets' },
  { page: 'Reserved tags', button: 'New reserved tag key', path: '/reserved-tag-keys', type: 'reserved-tag-keys' },
  { page: 'Teams', button: 'New team', path: '/teams', type: 'teams' },
  { page: 'Members', button: 'Invite', path: '/organization-memberships', type: 'organization-memberships' },
  { page: 'Agent pools', button: 'New agent pool', path: '/agent-pools', type: 'agent-pools' },
  { page: 'SSH keys', button: 'New SSH key', path: '/ssh-keys', type: 'ssh-keys' },
  { page: 'VCS connections', button: 'New VCS connection', path: '/oauth-clients', type: 'oauth-clients' },
  { page: 'Organization settings', button: 'Save', path: '', type: 'organizations', method: 'PATCH' },
];

describeConsole('the buttons of the web console', () => {
  let organization: string;
  let team: string;
  let variableSet: string;
  let projectPage: string;
  let pageProbes: readonly PageProbe[];
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    organization = await createOrganization();
    const project = await create(`/organizations/${organization}/projects`, 'projects', { name: 'Payments' });
    const inProject = { project: { data: { type: 'projects', id: project.id } } };
    const owner = { parent: inProject.project };
    const set = await create(`/organizations/${organization}/varsets`, 'varsets', { name: 'Credentials' }, owner);
    variableSet = set.id;
    projectPage = `projects/${project.id}`;
    const members = `/organizations/${organization}/organization-memberships`;
    const grace = await create(members, 'organization-memberships', { email: 'grace@example.com' });
    await createWorkspace(organization, { name: 'ledger' }, inProject);
    for (const [name, access, level] of [
      ['readers', {}, 'read'],
      ['maintainers', {}, 'maintain'],
      ['managers', { 'manage-workspaces': true }, undefined],
    ] as const) {
      const { id } = await create(`/organizations/${organization}/teams`, 'teams', {
        name,
        'organization-access': access,
      });
      const relationships = { ...inProject, team: { data: { type: 'teams', id } } };
      if (level !== undefined) await create('/team-projects', 'team-projects', { access: level }, relationships);
      const { data } = await request(`/teams/${id}/authentication-token`, { method: 'POST' });
      tokens[name] = data.attributes.token;
      team = id;
    }
    tokens['owners'] = ownerToken();
    const edit = (type: string) => ({ button: 'Edit', method: 'PATCH', data: { type, attributes: {} } });
    const deletion = { button: 'Delete', method: 'DELETE' };
    const addition = { method: 'POST', data: [] };
    const [ofProject, ofSet, ofTeam, ofMember] = [
      { page: projectPage, heading: /^(Payments|Project not found)$/, path: `/projects/${project.id}` },
      {
        page: `variable-sets/${set.id}`,
        heading: /^(Credentials|Variable set not found)$/,
        path: `/varsets/${set.id}`,
      },
      { page: `teams/${team}`, heading: /^(managers|Team not found)$/, path: `/teams/${team}` },
      {
        page: `members/${grace.id}`,
        heading: /^(grace@example.com|Member not found)$/,
        path: `/organization-memberships/${grace.id}`,
      },
    ];
    pageProbes = [
      { ...ofProject, ...edit('projects') },
      { ...ofSet, ...edit('varsets') },
      { ...ofSet, ...deletion },
      { ...ofSet, ...addition, button: 'Add workspace', path: `${ofSet.path}/relationships/workspaces` },
      { ...ofTeam, ...edit('teams') },
      { ...ofTeam, ...deletion },
      { ...ofTeam, ...addition, button: 'Add member', path: `${ofTeam.path}/relationships/users` },
      { ...ofMember, ...deletion, button: 'Remove' },
    ];
  });

  /** Returns whether the API lets the owner of a token send the request of a button. */
  const isAllowed = async (
    token: string,
    { path, method = 'POST', data }: Omit<PageProbe, 'page' | 'heading' | 'button'>,
  ) => {
    const { status } = await fetch(addressOf(`/api/v2${path}`), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/vnd.api+json',
        // No revision has this entity tag, so that nothing is deleted.
        ...(method === 'DELETE' && { 'if-match': '"none"' }),
      },
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
    });
    expect([200, 201, 204, 404, 412, 422]).toContain(status);
    return status !== 404;
  };

  it.each([
    ['readers', 0, 0],
    ['managers', 3, 3],
    ['owners', probes.length, 8],
  ])('buttons are disabled for %s exactly where the API rejects their requests', async (who, count, onPages) => {
    const token = tokens[who] ?? '';
    const { page, requests } = await openConsole(`/app/${organization}/workspaces`, {
      token,
      expectedComplaints: refusals,
    });
    // A button is enabled until the permissions are known.
    await page.waitForLoadState('networkidle');
    const allowed: string[] = [];
    for (const probe of probes) {
      await page.getByRole('navigation').getByRole('link', { name: probe.page, exact: true }).click();
      const attributes = probe.button === 'New workspace' ? { name: `new-${names++}` } : {};
      const { type, method = 'POST' } = probe;
      const path = `/organizations/${organization}${probe.path}`;
      const isOpen = await isAllowed(token, { path, method, data: { type, attributes } });
      if (isOpen) allowed.push(probe.button);
      const button = page.getByRole('main').getByRole('button', { name: probe.button, exact: true });
      // Without a change, there is nothing to save.
      const change = probe.button === 'Save' ? page.getByLabel('Default deletion protection') : undefined;
      await change?.check();
      await expect
        .poll(() => button.getAttribute('aria-disabled'), { message: probe.button })
        .toBe(isOpen ? null : 'true');
      await change?.uncheck();
    }
    expect(allowed).toHaveLength(count);

    await page.getByRole('navigation').getByRole('link', { name: 'Tokens', exact: true }).click();
    const path = `/teams/${team}/authentication-tokens`;
    const isOpen = await isAllowed(token, { path, data: { type: 'authentication-tokens', attributes: {} } });
    expect(isOpen).toBe(who === 'owners');
    const button = page.getByRole('button', { name: 'New team token' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe(isOpen ? null : 'true');
    await page.waitForLoadState('networkidle');
    // The tokens of the organization are requested for those only who may read them.
    expect(requests.filter((url) => /\/authentication-token\b/.test(url))).toHaveLength(isOpen ? 2 : 0);

    const allowedOnPages: string[] = [];
    // Without loading the console again, which takes most of the time.
    const open = (address: string) =>
      page.evaluate((to) => history.pushState({}, '', to), `/app/${organization}/${address}`);
    for (const { page: address, heading, button: label, ...probe } of pageProbes) {
      await open(address);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      const isAllowedHere = await isAllowed(token, probe);
      if (isAllowedHere) allowedOnPages.push(`${address}: ${label}`);
      const enabled = page.getByRole('main').getByRole('button', { name: label, exact: true, disabled: false });
      await expect.poll(() => enabled.count(), { message: `${address}: ${label}` }).toBe(isAllowedHere ? 1 : 0);
    }
    expect(allowedOnPages).toHaveLength(onPages);

    const isReadable = await isAllowed(token, { path: `/varsets/${variableSet}`, method: 'GET' });
    expect(isReadable).toBe(who !== 'readers');
    await open(projectPage);
    await page.getByRole('row', { name: /^Credentials/ }).waitFor();
    const name = page.getByRole('main').getByRole('link', { name: 'Credentials' });
    await expect.poll(() => name.count()).toBe(isReadable ? 1 : 0);
  });

  it('creates a workspace in the only project in which a team may create some', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`, {
      token: tokens['maintainers'] ?? '',
      expectedComplaints: refusals,
    });
    await page.getByRole('link', { name: 'ledger' }).waitFor();
    await page.getByRole('button', { name: 'New workspace' }).click();
    const dialog = page.getByRole('dialog');
    const choices = dialog.getByLabel('Project').locator('option');
    await expect.poll(() => choices.allTextContents()).toEqual(['Choose a project', 'Payments']);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('invoices');
    await dialog.getByLabel('Project').selectOption('Payments');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/\/workspaces\/invoices$/);
    await page.getByText('Not locked').waitFor();
  });
});
