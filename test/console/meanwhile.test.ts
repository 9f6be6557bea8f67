import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  ownerToken,
  request,
  takeScreenshots,
} from '../support/console/console.ts';

/** Pages that stay open while other people change something or the service is slow, and pages with unusual content. */

/** Returns a function that waits, and a function that ends the wait. */
const createGate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

describeConsole('an open page of the web console', () => {
  let organization: string;
  let teamToken: string;
  const path = (name: string) => `/app/${organization}/workspaces/${name}`;

  beforeAll(async () => {
    organization = await createOrganization();
    const [owners] = (await request(`/organizations/${organization}/teams?filter[names]=owners`)).data;
    const { data } = await request(`/teams/${owners.id}/authentication-token`, { method: 'POST' });
    teamToken = data.attributes.token;
  });

  it('shows the lock that another person has taken meanwhile, its release, and a deletion', async () => {
    const { id } = await createWorkspace(organization, { name: 'shared' });
    const provoked = { expectedComplaints: /40[49] \((Not Found|Conflict)\)/ };
    const { page: ada } = await openConsole(path('shared'), provoked);
    const { page: team } = await openConsole(path('shared'), { ...provoked, token: teamToken });
    await ada.getByRole('heading', { name: 'Not locked' }).waitFor();
    await team.getByRole('button', { name: 'Lock', exact: true }).click();
    await team.getByLabel('Reason').fill('upgrade of the team');
    await team.keyboard.press('Enter');
    await team.getByRole('heading', { name: /^Locked by/ }).waitFor();

    await ada.getByRole('button', { name: 'Lock', exact: true }).click();
    await ada.getByLabel('Reason').fill('mine');
    await ada.keyboard.press('Enter');
    await ada.getByRole('alert').getByText('already locked').waitFor();
    await expect.poll(() => ada.getByLabel('Reason').inputValue()).toBe('mine');
    await ada.keyboard.press('Escape');
    await ada.getByText('upgrade of the team').waitFor();
    await ada.getByRole('button', { name: 'Force-unlock' }).click();
    await ada.getByLabel('Reason').fill('the team is away');
    await ada.keyboard.press('Enter');
    await ada.getByRole('heading', { name: 'Not locked' }).waitFor();

    await team.getByRole('button', { name: 'Unlock', exact: true }).click();
    await team.getByRole('list', { name: 'Messages' }).getByText('not locked').waitFor();
    await team.getByRole('heading', { name: 'Not locked' }).waitFor();

    await request(`/workspaces/${id}`, { method: 'DELETE' });
    await team.getByRole('button', { name: 'Lock', exact: true }).click();
    await team.getByRole('dialog').getByRole('button', { name: 'Lock' }).click();
    await team.getByRole('dialog').getByRole('alert').getByText('It does not exist, or you may not see it.').waitFor();
    await team.keyboard.press('Escape');
    await team.getByRole('alert').waitFor();
  });

  it('says before a force-unlock that somebody else holds the lock now, or nobody', async () => {
    const { id } = await createWorkspace(organization, { name: 'locked-again' });
    const change = (action: string, body: object = {}) =>
      request(`/workspaces/${id}/actions/${action}`, { body, token: teamToken });
    await change('lock', { reason: 'first' });
    const { page } = await openConsole(path('locked-again'));
    await page.getByText('first', { exact: true }).waitFor();
    await change('unlock');
    await change('lock', { reason: 'second' });
    await page.getByRole('button', { name: 'Force-unlock' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText('This is another lock').waitFor();
    await dialog.getByText('second').waitFor();
    await dialog.getByLabel('Your reason').fill('the team is away');
    await change('unlock');
    await dialog.getByText('nobody').waitFor();
    const submit = dialog.getByRole('button', { name: 'Force-unlock' });
    await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('true');
  });

  it('continues an edit of a variable on top of that of another person', async () => {
    const { id } = await createWorkspace(organization, { name: 'edited-by-two' });
    const variable = await create(`/workspaces/${id}/vars`, 'vars', { key: 'size', value: '1', category: 'infra' });
    const provoked = { expectedComplaints: /412 \(Precondition Failed\)/ };
    const { page: ada } = await openConsole(`${path('edited-by-two')}/variables`, provoked);
    const { page: team } = await openConsole(`${path('edited-by-two')}/variables`, { token: teamToken });
    const edit = async (page: Page) => {
      await page.getByRole('button', { name: 'Edit size' }).click();
      await page.getByLabel('Value', { exact: true }).waitFor();
    };
    await edit(ada);
    await edit(team);
    await team.getByLabel('Value', { exact: true }).fill('2');
    await team.getByLabel('Description').fill('by the team');
    await team.getByRole('button', { name: 'Save' }).click();
    await team.getByText('Changed the variable size.').waitFor();
    await ada.getByLabel('Value', { exact: true }).fill('3');
    await ada.getByRole('button', { name: 'Save' }).click();
    await ada.getByText('Somebody else has changed this meanwhile').waitFor();
    await expect.poll(() => ada.locator('.changes').textContent()).toMatch(/1 → 2/);
    await expect.poll(() => ada.getByLabel('Value', { exact: true }).inputValue()).toBe('3');
    // A field that Ada has not changed has the value of the team.
    await expect.poll(() => ada.getByLabel('Description').inputValue()).toBe('by the team');
    await ada.getByRole('button', { name: 'Save' }).click();
    await ada.getByText('Changed the variable size.').waitFor();
    const { attributes } = (await request(`/workspaces/${id}/vars/${variable.id}`)).data;
    expect(attributes).toMatchObject({ value: '3', description: 'by the team' });
  });

  it('continues edits of organizations, projects, teams and variable sets on top of those of another person', async () => {
    const list = `/organizations/${organization}`;
    const project = await create(`${list}/projects`, 'projects', { name: 'platform' });
    const team = await create(`${list}/teams`, 'teams', { name: 'developers' });
    const set = await create(`${list}/varsets`, 'varsets', { name: 'common' });
    const mode = { 'default-execution-mode': 'local' };
    const cases = [
      {
        page: 'settings',
        path: list,
        type: 'organizations',
        own: 'email',
        theirs: mode,
        field: 'default-execution-mode',
        shown: 'local',
      },
      {
        page: `projects/${project.id}`,
        path: `/projects/${project.id}`,
        type: 'projects',
        theirs: mode,
        field: 'default-execution-mode',
        shown: 'local',
      },
      {
        page: `teams/${team.id}`,
        path: `/teams/${team.id}`,
        type: 'teams',
        theirs: { visibility: 'organization', 'organization-access': { 'read-workspaces': true } },
        field: 'read-workspaces',
        shown: true,
      },
      {
        page: `variable-sets/${set.id}`,
        path: `/varsets/${set.id}`,
        type: 'varsets',
        theirs: { priority: true },
        field: 'priority',
        shown: true,
      },
    ];
    const { page } = await openConsole(`/app/${organization}/settings`, { expectedComplaints: /412/ });
    const dialog = page.getByRole('dialog');
    for (const { page: name, path: resource, type, own = 'name', theirs, field, shown } of cases) {
      await page.goto(addressOf(`/app/${organization}/${name}`));
      const form = name === 'settings' ? page.locator('main') : dialog;
      if (form === dialog) await page.getByRole('button', { name: 'Edit', exact: true }).click();
      const entered = own === 'email' ? 'mine@example.com' : 'mine';
      await form.getByLabel(own === 'email' ? 'E-mail' : 'Name', { exact: true }).fill(entered);
      await request(resource, { method: 'PATCH', body: { data: { type, attributes: theirs } } });
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText('Somebody else has changed this meanwhile').waitFor();
      // A field that the user has not changed has the value of the other person.
      const input = form.locator(`[name="${field}"]`);
      await expect.poll(() => (shown === true ? input.isChecked() : input.inputValue())).toBe(shown);
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody else has changed this meanwhile').waitFor({ state: 'detached' });
      expect((await request(resource)).data.attributes).toMatchObject({ [own]: entered, ...theirs });
    }
  });

  it('deletes what another person has changed only after it has shown the changes', async () => {
    const list = `/organizations/${organization}`;
    const set = await create(`${list}/varsets`, 'varsets', { name: 'shared-set' });
    const workspace = await createWorkspace(organization, { name: 'changed-before-deletion' });
    const { page } = await openConsole(`/app/${organization}/variable-sets/${set.id}`, {
      // The page reads the variable set once more before it is left.
      expectedComplaints: /412|404/,
    });
    const dialog = page.getByRole('dialog');
    const change = (path: string, type: string, attributes: object) =>
      request(path, { method: 'PATCH', body: { data: { type, attributes } } });

    await page.getByRole('heading', { level: 1, name: 'shared-set' }).waitFor();
    await change(`/varsets/${set.id}`, 'varsets', { priority: true });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('Somebody else has changed this meanwhile').waitFor();
    await expect.poll(() => dialog.locator('.changes').textContent()).toMatch(/no → yes/);
    await dialog.getByLabel('Type shared-set to confirm').fill('shared-set');
    await change(`/varsets/${set.id}`, 'varsets', { description: 'in use' });
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('in use').waitFor();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await request(`${list}/varsets?q=shared-set`)).data).toEqual([]);

    await page.goto(addressOf(`${path('changed-before-deletion')}/settings`));
    await page.getByRole('button', { name: 'Force delete' }).click();
    await dialog.getByLabel('Type changed-before-deletion to confirm').fill('changed-before-deletion');
    await change(`/workspaces/${workspace.id}`, 'workspaces', { description: 'in production' });
    await dialog.getByRole('button', { name: 'Force delete' }).click();
    await dialog.getByText('in production').waitFor();
    await dialog.getByRole('button', { name: 'Force delete' }).click();
    await page.getByText('Deleted the workspace changed-before-deletion.').waitFor();
  });

  /** Opens the dialog that adds a variable with a token of the owner, enters a variable, and revokes the token. */
  const enterAndLoseToken = async (name: string) => {
    await createWorkspace(organization, { name });
    const { id: user } = (await request('/account/details')).data;
    const token = await create(`/users/${user}/authentication-tokens`, 'authentication-tokens', { description: name });
    const { page } = await openConsole(`${path(name)}/variables`, {
      token: token.attributes.token,
      // Only a user has an account.
      expectedComplaints: /401 \(Unauthorized\)|404 \(Not Found\).*account\/details/,
    });
    const account = page.waitForResponse('**/account/details');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await (await account).finished();
    await page.getByLabel('Key', { exact: true }).fill('password');
    await page.getByLabel('Value', { exact: true }).fill('entered secret');
    await request(`/authentication-tokens/${token.id}`, { method: 'DELETE' });
    // Each function may accept it for some seconds more.
    await page.route('**/api/**', async (route) => {
      const isRevoked = route.request().headers()['authorization'] === `Bearer ${token.attributes.token}`;
      await (isRevoked ? route.fulfill({ status: 401, json: { errors: [] } }) : route.continue());
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    return { page, signIn: page.getByRole('dialog').filter({ hasText: 'Sign in again' }) };
  };

  it('keeps the entries of a dialog while the user signs in again, and hides them until then', async () => {
    const { page, signIn } = await enterAndLoseToken('kept-entries');
    const stored = () => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    expect(await stored()).not.toMatch(/hfu_|entered secret/);
    const value = page.getByLabel('Value', { exact: true });
    const cover = await page
      .locator('.dialog-backdrop')
      .last()
      .evaluate((e) => getComputedStyle(e).backgroundColor);
    expect(cover).toMatch(/^rgb\(/);
    await takeScreenshots(page, 'sign-in-again');
    await expectAccessible(page);
    await signIn.getByLabel('Token').fill('hfu_mistyped');
    await page.keyboard.press('Enter');
    await signIn.getByText('The service does not accept this token.').waitFor();
    await signIn.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await signIn.waitFor({ state: 'detached' });
    await expect.poll(() => value.inputValue()).toBe('entered secret');
    await expect.poll(() => page.getByRole('dialog').getByRole('alert').count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('Added the variable password.').waitFor();
  });

  it('shows nothing of the entries of a user to another one who signs in', async () => {
    const { page, signIn } = await enterAndLoseToken('entries-of-another');
    await signIn.getByLabel('Token').fill(teamToken);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add variable' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('holdfast.token'))).toBe(teamToken);
  });

  it('discards the entries of a dialog when the user leaves the page without signing in again', async () => {
    const { page } = await enterAndLoseToken('discarded-entries');
    await page.keyboard.press('Escape');
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add variable' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('shows that a slow search is loading, and never shows its result after that of a later one', async () => {
    for (const name of ['slow-search', 'quick-search']) await createWorkspace(organization, { name });
    const { page } = await openConsole(`/app/${organization}/workspaces?name=search`);
    const names = () => page.locator('.workspace-name').allTextContents();
    await expect.poll(names).toEqual(['quick-search', 'slow-search']);
    const gate = createGate();
    const answered = createGate();
    await page.route(/search%5Bname%5D=slow/, async (route) => {
      await gate.opened;
      // The console cancels a request whose result it does not need any more.
      await route.continue().catch(() => undefined);
      answered.open();
    });
    await page.getByLabel('Search by name').fill('slow');
    await page.locator('[aria-busy="true"]').waitFor();
    await page.getByLabel('Search by name').fill('quick');
    await expect.poll(names).toEqual(['quick-search']);
    gate.open();
    await answered.opened;
    await page.waitForLoadState('networkidle');
    expect(await names()).toEqual(['quick-search']);
  });

  it('sends an action once while its response is slow, however often it is submitted', async () => {
    const { id } = await createWorkspace(organization, { name: 'slow' });
    const { page } = await openConsole(path('slow'));
    const gate = createGate();
    let sent = 0;
    await page.route('**/actions/lock', async (route) => {
      sent += 1;
      await gate.opened;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Lock' });
    await submit.dblclick();
    await page.getByLabel('Reason').press('Enter');
    await expect.poll(() => submit.getAttribute('aria-busy')).toBe('true');
    gate.open();
    await page.getByRole('heading', { name: /^Locked by/ }).waitFor();
    expect(sent).toBe(1);
    expect((await request(`/workspaces/${id}`)).data.attributes.locked).toBe(true);
  });

  it('draws only the visible ones of 5,000 variables, and finds one of them', async () => {
    const { id } = await createWorkspace(organization, { name: 'many-variables' });
    const template = await create(`/workspaces/${id}/vars`, 'vars', { key: 'K', value: 'v', category: 'env' });
    const data = Array.from({ length: 5_000 }, (_, index) => ({
      ...template,
      id: `${template.id}-${index}`,
      attributes: { ...template.attributes, key: `KEY_${String(index).padStart(4, '0')}` },
    }));
    const { page } = await openConsole(path('many-variables'));
    await page.getByRole('heading', { name: 'Not locked' }).waitFor();
    await page.route(/\/(all-)?vars$/, (route) => route.fulfill({ json: { data } }));
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Variables' }).click();
    await page.getByText('5,000 variables').waitFor();
    const rows = page.locator('.variable-table tbody tr');
    await page.getByText('KEY_0000').waitFor();
    await expect.poll(() => rows.count()).toBeLessThan(60);
    await page.locator('.variable-table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await page.getByText('KEY_4999').waitFor();
    await expect.poll(() => rows.count()).toBeLessThan(60);
    await page.getByLabel('Search variables').fill('key_2500');
    await page.getByText('1 variable', { exact: true }).waitFor();
    await page.getByText('KEY_2500').waitFor();
  });

  it('shows names in many scripts and in both directions within the page', async () => {
    // cspell:disable
    const scripts = [
      '日本語の説明',
      'وصف بالعربية',
      'คำอธิบายภาษาไทย',
      'Περιγραφή',
      '👩‍👩‍👧',
      'e\u0301',
      'ﷺ'.repeat(40),
    ];
    const { id } = await createWorkspace(organization, { name: 'scripts', description: scripts.join(' ') });
    await create(`/workspaces/${id}/vars`, 'vars', { key: 'ключ', value: scripts.join('\n'), category: 'infra' });
    await request(`/workspaces/${id}/actions/lock`, { body: { reason: scripts.join(' ') } });
    const { page } = await openConsole(path('scripts'), { viewport: { width: 360, height: 740 } });
    await page.getByText(scripts.join(' ')).first().waitFor();
    await expectNoSidewaysScrolling(page);
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Variables' }).click();
    await page.getByText('ключ').waitFor();
    // cspell:enable
    await expectNoSidewaysScrolling(page);
  });
});
