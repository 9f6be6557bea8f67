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
  { page: 'Organization settings', button: 'Edit', path: '', type: 'organizations', method: 'PATCH' },
];

describeConsole('the buttons of the web console', () => {
  let organization: string;
  let team: string;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    organization = await createOrganization();
    const project = await create(`/organizations/${organization}/projects`, 'projects', { name: 'Payments' });
    const inProject = { project: { data: { type: 'projects', id: project.id } } };
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
  });

  /** Returns whether the API lets the owner of a token send the request of a button. */
  const isAllowed = async (token: string, path: string, { type, method = 'POST', attributes = {} }: Partial<Probe>) => {
    const { status } = await fetch(addressOf(`/api/v2${path}`), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type, attributes } }),
    });
    expect([200, 201, 404, 422]).toContain(status);
    return status !== 404;
  };

  it.each([
    ['readers', 0],
    ['managers', 3],
    ['owners', probes.length],
  ])('buttons are disabled for the team %s exactly where the API rejects their requests', async (who, count) => {
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
      const isOpen = await isAllowed(token, `/organizations/${organization}${probe.path}`, { ...probe, attributes });
      if (isOpen) allowed.push(probe.button);
      const button = page.getByRole('main').getByRole('button', { name: probe.button, exact: true });
      await expect
        .poll(() => button.getAttribute('aria-disabled'), { message: probe.button })
        .toBe(isOpen ? null : 'true');
    }
    expect(allowed).toHaveLength(count);

    await page.getByRole('navigation').getByRole('link', { name: 'Tokens', exact: true }).click();
    const isOpen = await isAllowed(token, `/teams/${team}/authentication-tokens`, { type: 'authentication-tokens' });
    expect(isOpen).toBe(who === 'owners');
    const button = page.getByRole('button', { name: 'New team token' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe(isOpen ? null : 'true');
    await page.waitForLoadState('networkidle');
    // The tokens of the organization are requested for those only who may read them.
    expect(requests.filter((url) => /\/authentication-token\b/.test(url))).toHaveLength(isOpen ? 2 : 0);
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
