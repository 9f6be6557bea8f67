import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectNoSidewaysScrolling,
  openConsole,
  request,
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
    expect(await ada.getByLabel('Reason').inputValue()).toBe('mine');
    await ada.keyboard.press('Escape');
    await ada.getByText('upgrade of the team').waitFor();
    await ada.getByRole('button', { name: 'Force-unlock' }).click();
    await ada.getByLabel('Reason').fill('the team is away');
    await ada.keyboard.press('Enter');
    await ada.getByRole('heading', { name: 'Not locked' }).waitFor();

    await team.getByRole('button', { name: 'Unlock', exact: true }).click();
    await team.getByRole('dialog').getByRole('button', { name: 'Unlock' }).click();
    await team.getByRole('alert').waitFor();
    await team.keyboard.press('Escape');
    await team.getByRole('heading', { name: 'Not locked' }).waitFor();

    await request(`/workspaces/${id}`, { method: 'DELETE' });
    await team.getByRole('button', { name: 'Lock', exact: true }).click();
    await team.getByRole('dialog').getByRole('button', { name: 'Lock' }).click();
    await team
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/not found/i)
      .first()
      .waitFor();
    await team.keyboard.press('Escape');
    await team.getByRole('alert').waitFor();
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
    await team.getByRole('button', { name: 'Save' }).click();
    await team.getByText('Changed size.').waitFor();
    await ada.getByLabel('Value', { exact: true }).fill('3');
    await ada.getByRole('button', { name: 'Save' }).click();
    await ada.getByText('Somebody else has changed this meanwhile').waitFor();
    expect(await ada.locator('.changes').textContent()).toMatch(/1 → 2/);
    expect(await ada.getByLabel('Value', { exact: true }).inputValue()).toBe('3');
    await ada.getByRole('button', { name: 'Save' }).click();
    await ada.getByText('Changed size.').waitFor();
    expect((await request(`/workspaces/${id}/vars/${variable.id}`)).data.attributes.value).toBe('3');
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
    expect(await submit.getAttribute('aria-busy')).toBe('true');
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
    expect(await rows.count()).toBeLessThan(60);
    await page.locator('.variable-table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await page.getByText('KEY_4999').waitFor();
    expect(await rows.count()).toBeLessThan(60);
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
