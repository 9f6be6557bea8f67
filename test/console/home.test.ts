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
  request,
} from '../support/console/console.ts';
import { createStatistics, serveStatistics } from '../support/console/statistics.ts';

/** The home of an organization: numbers that lead to lists with the same totals. */
describeConsole('the home of an organization', () => {
  let organization: string;
  beforeAll(async () => {
    organization = await createOrganization();
    const ids: string[] = [];
    for (const attributes of [
      { name: 'network', 'infra-version': '1.9.8', 'deletion-protection': true },
      { name: 'billing', 'infra-version': '1.9.8' },
      { name: 'edge', 'infra-version': '1.8.0' },
    ]) {
      ids.push((await createWorkspace(organization, attributes)).id);
    }
    await request(`/workspaces/${ids[1]}/actions/lock`, { body: { reason: 'maintenance' } });
    await request(`/workspaces/${ids[1]}/tag-bindings`, {
      method: 'PATCH',
      body: { data: [{ type: 'tag-bindings', attributes: { key: 'environment', value: 'production' } }] },
    });
  });

  const open = (options?: Parameters<typeof openConsole>[1]) => openConsole(`/app/${organization}`, options);

  it('leads from each number to a list with this number of workspaces', async () => {
    const { page } = await open();
    for (const [list, row, count] of [
      ['Tool versions', '1.9.8', 2],
      ['Tool versions', '1.8.0', 1],
      ['Locks by age', 'Under 1 hour', 1],
      ['Deletion protection', 'Off', 2],
      ['Deletion protection', 'On', 1],
    ] as const) {
      await page
        .getByRole('list', { name: list })
        .getByRole('link', { name: `${row} ${count}`, exact: true })
        .click();
      await page
        .getByRole('status')
        .filter({ hasText: `${count} found` })
        .waitFor();
      await expect
        .poll(() => page.getByRole('link', { name: /^(network|billing|edge)$/ }).count(), {
          message: `${list}: ${row}`,
        })
        .toBe(count);
      await page.goBack();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
    }
    await page.getByText('No workspace has a state.').waitFor();
    await page.getByText('Changes and runs are counted for the first time').waitFor();
    await page.getByRole('link', { name: 'Workspaces 3' }).click();
    await page.getByRole('link', { name: 'network', exact: true }).waitFor();
  });

  it('counts unprotected production when an owner has entered the tag of production', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Choose the production tag' }).click();
    await page.getByRole('combobox', { name: 'Production tag' }).fill('environment=production');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Changed the settings of /).waitFor();
    await page.getByRole('link', { name: 'Unprotected production 1' }).click();
    await page.getByRole('status').filter({ hasText: '1 found' }).waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: /^(network|billing|edge)$/ }).allTextContents())
      .toEqual(['billing']);
  });

  it('shows a year of changes that arrows lead through, to the audit trail of a day', async () => {
    const { page } = await open();
    await serveStatistics(page, organization);
    await page.reload();
    const days = page.getByRole('region', { name: 'Changes by day' });
    await days.waitFor();
    await expectAccessible(page);
    const { activity } = createStatistics(organization, Date.now()).data.attributes;
    const changed = activity.filter((day) => day['change-count'] > 0);
    await expect.poll(() => days.getByRole('link').count()).toBe(changed.length);
    // One of all days is a Tab stop: the newest.
    await expect.poll(() => days.locator('a[tabindex="0"]').count()).toBe(1);
    const newest = days.locator('a[tabindex="0"]');
    await newest.focus();
    const label = await newest.getAttribute('aria-label');
    await page.keyboard.press('ArrowUp');
    const focused = page.locator(':focus');
    await expect.poll(() => focused.getAttribute('aria-label')).not.toBe(label);
    const [date] = /^[^:]+/.exec((await focused.getAttribute('aria-label')) ?? '') ?? [];
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor();
    const parameters = new URL(page.url()).searchParams;
    const [since, until] = ['since', 'until'].map((name) => new Date(parameters.get(name) ?? ''));
    const inUtc = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
    expect(inUtc.format(since)).toBe(date);
    expect(inUtc.format(until)).toBe(date);
    expect((until?.getTime() ?? 0) - (since?.getTime() ?? 0)).toBe(86_400_000 - 1);
  });

  it('fits into 390 pixels, and scrolls only the year', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } });
    await serveStatistics(page, organization);
    await page.reload();
    await page.getByRole('region', { name: 'Changes by day' }).waitFor();
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  });

  it('says why a caller who is no owner sees no numbers by day', async () => {
    const team = await create(`/organizations/${organization}/teams`, 'teams', { name: 'readers' });
    const { attributes } = await create(`/teams/${team.id}/authentication-tokens`, 'authentication-tokens', {
      description: 'home',
    });
    const { page } = await open({ token: attributes.token });
    await page.getByText('There are no workspaces yet').waitFor();
    await serveStatistics(page, organization, { activity: null });
    await page.reload();
    await page.getByText('Only owners see changes and runs by day').waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'Changes by day' }).count()).toBe(0);
  });

  it('leads from an organization without workspaces to the first steps', async () => {
    const empty = await createOrganization();
    const { page } = await openConsole(`/app/${empty}`);
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.waitForURL(addressOf(`/app/${empty}/workspaces`));
    await page.getByRole('heading', { name: 'There are no workspaces yet' }).waitFor();
    await expectAccessible(page);
  });
});
