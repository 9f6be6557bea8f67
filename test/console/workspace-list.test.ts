import { createHash } from 'node:crypto';
import type { Page, Route } from 'playwright-core';

import { beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  request,
} from '../support/console/console.ts';
import { serveManyWorkspaces } from '../support/console/many-workspaces.ts';

/** Uploads a state that a version of the tool has written. */
const uploadState = async (workspace: string, version: string): Promise<void> => {
  const state = { version: 4, terraform_version: version, serial: 1, lineage: 'lineage', outputs: {}, resources: [] };
  const content = JSON.stringify(state);
  await request(`/workspaces/${workspace}/actions/lock`, { method: 'POST' });
  await create(`/workspaces/${workspace}/state-versions`, 'state-versions', {
    serial: 1,
    lineage: 'lineage',
    md5: createHash('md5').update(content).digest('hex'),
    state: Buffer.from(content).toString('base64'),
  });
  await request(`/workspaces/${workspace}/actions/unlock`, { method: 'POST' });
};

/** Opens the dialog of an action on the selected workspaces. */
const change = async (page: Page, action: string): Promise<void> => {
  await page.getByRole('button', { name: 'Change…' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
};

/** Returns the workspaces of the bulk job of the page with their outcomes. */
const outcomesOf = (page: Page): Promise<string[]> =>
  page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.locator('.badge') })
    .evaluateAll((rows) =>
      rows.map((row) => `${row.querySelector('th')?.textContent} ${row.querySelector('.badge')?.textContent}`),
    );

const names = (page: Page): Promise<string[]> => page.locator('.workspace-name').allTextContents();

describeConsole('the list of workspaces in the web console', () => {
  let organization: string;
  let lockedAt: number;
  let holder: string;

  beforeAll(async () => {
    organization = await createOrganization();
    const project = await create(`/organizations/${organization}/projects`, 'projects', { name: 'Payments' });
    for (const name of ['alpha', 'beta', 'gamma']) {
      const tags = { tags: { data: [{ type: 'tags', attributes: { name: 'core' } }] } };
      const { id } = await createWorkspace(organization, { name }, name === 'gamma' ? {} : tags);
      if (name === 'beta') await uploadState(id, '1.10.0');
    }
    const { id } = await create(
      `/organizations/${organization}/workspaces`,
      'workspaces',
      { name: 'delta', 'infra-version': '1.9.5' },
      { project: { data: { type: 'projects', id: project.id } } },
    );
    const { data } = await request(`/workspaces/${id}/actions/lock`, { body: { reason: 'migrating' } });
    lockedAt = Date.parse(data.attributes['locked-at']);
    holder = data.relationships['locked-by'].data.id;
  });

  it('searches while typing, filters and sorts on the server, and keeps all of it in the URL', async () => {
    const { page, requests } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await expect.poll(() => names(page)).toEqual(['alpha', 'beta', 'delta', 'gamma']);
    // The list, and the organization with the permission to create workspaces.
    await expect.poll(() => requests.filter((url) => url.includes('/api/'))).toHaveLength(2);
    await expectAccessible(page);

    await page.keyboard.press('/');
    await page.keyboard.type('eta');
    // On a busy computer, the list is first that of the letters typed so far.
    await expect.poll(() => new URL(page.url()).search).toBe('?name=eta');
    await expect.poll(() => names(page)).toEqual(['beta']);
    await page.getByLabel('Search by name').fill('zzz');
    await page.getByText('No workspace matches “zzz”').waitFor();
    await page.getByLabel('Search by name').fill('');
    await expect.poll(() => names(page)).toHaveLength(4);
    await expect
      .poll(() => page.getByLabel('Search by name').evaluate((field) => field === document.activeElement))
      .toBe(true);

    await page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(() => names(page)).toEqual(['gamma', 'delta', 'beta', 'alpha']);
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=-name');

    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await expect.poll(() => page.getByLabel('Order').inputValue()).toBe('-name');
    await page.getByLabel('Project').selectOption('Payments');
    await expect.poll(() => names(page)).toEqual(['delta']);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove the filter Project: Payments' }).click();
    await page.getByLabel('Tags').fill('core');
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(['beta', 'alpha']);
    await page.getByLabel('Order').selectOption('Name');
    await expect.poll(() => names(page)).toEqual(['alpha', 'beta']);
  });

  it('opens a link with filters, and shows holder and age of a lock', async () => {
    const filters = `locked=true&version=1.9.5&mode=remote,agent&holder=${holder}`;
    const { page } = await openConsole(`/app/${organization}/workspaces?${filters}`, { now: lockedAt });
    await page.getByRole('link', { name: 'delta' }).waitFor();
    await expect.poll(() => page.locator('.lock').textContent()).toMatch(/ now$/);
    await expect.poll(() => page.locator('.lock a').getAttribute('href')).toMatch(/\/members\/user-\w+$/);
    await expect.poll(() => page.getByRole('button', { name: 'Locked', pressed: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Remove the filter Execution mode: remote, agent' }).waitFor();
    await page.getByRole('button', { name: 'Remove the filter Lock holder: ada' }).waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await expect.poll(() => page.getByLabel('Execution mode', { exact: true }).inputValue()).toBe('remote,agent');
  });

  it('filters by a tag of a row, which the arrow keys reach, and offers the tag that was searched as a name', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('link', { name: 'alpha' }).focus();
    // The project comes first.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(['alpha', 'beta']);
    await expect.poll(() => new URL(page.url()).search).toBe('?tags=core');
    await page.getByRole('button', { name: 'Remove the filter Tags: core' }).click();
    await page.getByLabel('Search by name').fill('core');
    await page.getByRole('button', { name: 'Show 2 workspaces with the tag core' }).click();
    await expect.poll(() => names(page)).toEqual(['alpha', 'beta']);
    await expect.poll(() => new URL(page.url()).search).toBe('?tags=core');
  });

  it('says which tag and which version no workspace has', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces?tags=core,nobody&version=9.9.9`);
    await page.getByText('No workspace has the tag nobody yet. Check the spelling.').waitFor();
    await page.getByText('No workspace uses the tool version 9.9.9 yet. Check the spelling.').waitFor();
    await expect.poll(() => page.getByText('Check the spelling').count()).toBe(2);
  });

  it('the list of workspaces is usable at 360 pixels', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`, { viewport: { width: 360, height: 740 } });
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await expectNoSidewaysScrolling(page);
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('link', { name: 'Locks' }).click();
    await page.getByRole('link', { name: 'delta' }).waitFor();
    await expectNoSidewaysScrolling(page);
  });

  it('the list of workspaces is as high as its rows, also if they are higher than usual and after a search', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.virtual-table td { height: 60px }');
      document.adoptedStyleSheets = [sheet];
    });
    const table = page.getByRole('region', { name: 'Workspaces' });
    const findHidden = () => table.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    await expect.poll(findHidden).toBe(0);
    await page.getByLabel('Search by name').fill('eta');
    await expect.poll(() => names(page)).toEqual(['beta']);
    await expect.poll(findHidden).toBe(0);
  });

  it('changes the version of a selection with a bulk job, whose preview leaves out what has warnings', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces?tags=core`, {
      expectedComplaints: /422 \(Unprocessable Entity\)/,
    });
    await page.getByLabel('Select alpha').check();
    await expect.poll(() => page.locator('thead .checkbox:indeterminate').count()).toBe(1);
    await page.getByRole('button', { name: 'Select all 2' }).click();
    await page.getByLabel('Select beta').uncheck();
    await page.getByText('1 selected').waitFor();
    await page.getByLabel('Select beta').check();
    await page.getByText('2 selected').waitFor();
    const { data: beta } = await request(`/organizations/${organization}/workspaces/beta`);
    await request(`/workspaces/${beta.id}/actions/lock`, { method: 'POST' });
    onTestFinished(() => request(`/workspaces/${beta.id}/actions/unlock`, { method: 'POST' }));
    await change(page, 'Set the tool version');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Tool version' }).fill('9'.repeat(400));
    await page.keyboard.press('Enter');
    await dialog.locator('.field-error').waitFor();
    await dialog.getByRole('textbox', { name: 'Tool version' }).fill('1.99.77');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('first wave');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Edit settings: Tool version 1.99.77' }).waitFor();
    await page.getByText('No workspace uses the tool version 1.99.77 yet. Check the spelling.').waitFor();
    await page.getByText('first wave').waitFor();
    await expect.poll(() => page.getByRole('table').locator('.changes').count()).toBe(2);
    await expect
      .poll(() => page.getByRole('table').locator('.changes').first().textContent())
      .toMatch(/^Tool version .*→ 1\.99\.77$/);
    await page.getByText('Locked by somebody who may be working with it.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'with warnings 1' }).click();
    await expect.poll(() => page.getByRole('table').getByRole('link').allTextContents()).toEqual(['beta']);
    await expect.poll(() => new URL(page.url()).search).toBe('?show=warned');
    await page.getByLabel('Leave out the workspace with warnings').check();
    await page.getByRole('button', { name: 'Change 1 workspace' }).click();
    await page.getByText('complete', { exact: true }).waitFor();
    await expect.poll(() => outcomesOf(page)).toEqual(['alpha changed', 'beta left out']);
    await page.getByRole('button', { name: 'left out 1' }).click();
    await expect.poll(() => outcomesOf(page)).toEqual(['beta left out']);
    const stored = await request(`/organizations/${organization}/workspaces?filter[infra-version]=1.99.77`);
    expect(stored.meta.pagination['total-count']).toBe(1);

    await page.getByRole('button', { name: 'Retry 1' }).click();
    await page.getByText('what another bulk job has not changed').waitFor();
    await page.getByRole('button', { name: 'Change 1 workspace' }).click();
    await expect.poll(() => outcomesOf(page)).toEqual(['beta changed']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the report' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^bulk-\w+\.jsonl$/);
    await page.getByRole('link', { name: 'Bulk jobs' }).first().click();
    await page.getByRole('cell', { name: '1 changed', exact: true }).waitFor();
    await page.getByRole('cell', { name: '1 changed, 1 left out' }).waitFor();

    await page.goto(new URL(`/app/${organization}/workspaces/alpha/history`, page.url()).href);
    const job = page.getByRole('link', { name: 'bulk job', exact: true });
    // The history is written from the stream of the table, shortly after a change.
    await expect
      .poll(async () => {
        await page.reload();
        await page.locator('.timeline-entry').first().waitFor();
        return job.count();
      })
      .toBe(1);
    await job.click();
    await page.getByRole('heading', { name: 'Edit settings: Tool version 1.99.77' }).waitFor();
  });

  it('does not keep workspaces selected that a filter hides, also if it applies with the click', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('link', { name: 'gamma' }).waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByLabel('Tags').fill('core');
    // The click leaves the field, so the filter applies after the rows were selected.
    await page.getByRole('checkbox', { name: 'Select all loaded workspaces' }).click();
    await expect.poll(() => names(page)).toEqual(['alpha', 'beta']);
    await expect.poll(() => page.getByText(/^\d+ selected$/).count()).toBe(0);
  });

  it('changes all workspaces but one, reports what it cannot change, and deletes only after the number was typed', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByLabel('Select alpha').check();
    await page.getByRole('button', { name: 'Select all 4' }).click();
    await page.getByLabel('Select alpha').uncheck();
    await change(page, 'Lock');
    await page.getByLabel('Reason').fill('release day');
    await page.keyboard.press('Enter');
    await expect.poll(() => outcomesOf(page)).toEqual(['beta will change', 'delta cannot change', 'gamma will change']);
    await page.getByText(/already locked/).waitFor();
    await page.getByRole('button', { name: 'Change 2 workspaces' }).click();
    await expect.poll(() => outcomesOf(page)).toEqual(['delta cannot change', 'beta changed', 'gamma changed']);
    await page.getByText('1 failed', { exact: true }).waitFor();
    const locked = await request(`/organizations/${organization}/workspaces?filter[locked]=true`);
    expect(locked.meta.pagination['total-count']).toBe(3);

    await page.goto(new URL(`/app/${organization}/workspaces?name=gamma`, page.url()).href);
    await page.getByLabel('Select gamma').check();
    await change(page, 'Move to a project');
    await page.getByLabel('Project', { exact: true }).selectOption('Payments');
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect
      .poll(() => page.getByRole('table').locator('.changes').first().textContent())
      .toMatch(/^Project Default Project → Payments/);
    await page.getByRole('button', { name: 'Cancel' }).click();

    await createWorkspace(organization, { name: 'short-lived' });
    await page.goto(new URL(`/app/${organization}/workspaces?name=short-lived`, page.url()).href);
    await page.getByLabel('Select short-lived').check();
    await change(page, 'Delete safely');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Change 1 workspace' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Change 1 workspace', disabled: true }).waitFor();
    await dialog.getByLabel(/Type 1 to confirm/).fill('1');
    await page.keyboard.press('Enter');
    await expect.poll(() => outcomesOf(page)).toEqual(['short-lived changed']);
  });

  it('draws only the visible ones of 10,000 workspaces, and loads only the visible pages', async () => {
    const template = (await request(`/organizations/${organization}/workspaces?page[size]=1`)).data[0];
    const { page } = await openConsole('/app/sign-in');
    const loaded = await serveManyWorkspaces(page, template);
    await page.goto(new URL(`/app/${organization}/workspaces`, page.url()).href);
    await page.getByRole('link', { name: 'workspace-0', exact: true }).waitFor();
    await page.locator('.virtual-table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await page.getByRole('link', { name: 'workspace-9999' }).waitFor();
    await expect.poll(() => page.locator('.virtual-table tbody tr').count()).toBeLessThan(60);
    expect(loaded.length).toBeLessThan(6);
  });

  it('scrolls the list of workspaces to a distant position after a search and a selection, and stays there', async () => {
    const template = (await request(`/organizations/${organization}/workspaces?page[size]=1`)).data[0];
    const { page } = await openConsole('/app/sign-in', { viewport: { width: 1280, height: 800 } });
    await serveManyWorkspaces(page, template);
    await page.goto(new URL(`/app/${organization}/workspaces`, page.url()).href);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByLabel('Search by name').fill('workspace');
    await page.waitForURL(/name=workspace$/);
    await page.getByLabel('Search by name').fill('');
    await page.waitForURL(/workspaces$/);
    await page.getByLabel('Select workspace-2', { exact: true }).check();
    const table = page.locator('.virtual-table');
    await table.evaluate((element) => element.scrollTo(0, 6600));
    await page.getByRole('link', { name: 'workspace-152', exact: true }).waitFor();
    expect(Math.abs((await table.evaluate(({ scrollTop }) => scrollTop)) - 6600)).toBeLessThan(50);
  });

  it.each([1280, 390])(
    'returns to the position in the list of workspaces that the reader left, in a window of %i pixels',
    async (width) => {
      const template = (await request(`/organizations/${organization}/workspaces?page[size]=1`)).data[0];
      const { page } = await openConsole('/app/sign-in', {
        viewport: { width, height: 800 },
        expectedComplaints: /404 \(Not Found\)/,
      });
      await serveManyWorkspaces(page, template);
      await page.goto(new URL(`/app/${organization}/workspaces`, page.url()).href);
      const table = page.locator('.virtual-table');
      // In steps, as people scroll: cards have other heights than expected, which are known when they were shown.
      for (let step = 1; step <= 16; step += 1) {
        await table.evaluate((element, top) => element.scrollTo(0, top), step * 600);
        await expect.poll(() => names(page)).not.toHaveLength(0);
      }
      const position = () => table.evaluate(({ scrollTop }) => scrollTop);
      const findFirst = () =>
        table.evaluate((element) => {
          const { left, top } = element.getBoundingClientRect();
          return document.elementFromPoint(left + 60, top + 60)?.closest('tr')?.textContent;
        });
      await expect.poll(findFirst).toContain('workspace-');
      const [left, first] = [await position(), await findFirst()];
      await page.evaluate(() =>
        document
          .elementFromPoint(innerWidth / 2, 500)
          ?.closest('tr')
          ?.querySelector('a')
          ?.click(),
      );
      await page.getByRole('heading', { name: /not found/ }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: /not found/ }).waitFor();
      await page.goBack();
      await expect.poll(findFirst).toBe(first);
      expect(await position()).toBe(left);
      await page.getByLabel('Search by name').fill('workspace');
      await expect.poll(position).toBe(0);
    },
  );

  it('shows ten workspaces with all columns next to the open filters in a window of 1280 by 800 pixels', async () => {
    const template = (await request(`/organizations/${organization}/workspaces?page[size]=1`)).data[0];
    const { page } = await openConsole('/app/sign-in', { viewport: { width: 1280, height: 800 } });
    await serveManyWorkspaces(page, template);
    await page.goto(new URL(`/app/${organization}/workspaces`, page.url()).href);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByLabel('Order').waitFor();
    const countVisible = () =>
      page.locator('.virtual-table').evaluate((table) => {
        const { bottom } = table.getBoundingClientRect();
        return [...table.querySelectorAll('tbody .workspace-name')].filter(
          (name) => name.getBoundingClientRect().bottom < bottom,
        ).length;
      });
    await expect.poll(countVisible).toBeGreaterThanOrEqual(10);
    await expectNoSidewaysScrolling(page);
    const table = page.locator('.virtual-table');
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    // The column for screen readers has no width.
    const cells = table.locator(':is(th, td):not(.column-mode)');
    const cut = await cells.evaluateAll((all) =>
      all.filter((cell) => cell.scrollWidth > cell.clientWidth).map(({ textContent }) => textContent),
    );
    expect(cut).toEqual([]);
    expect((await table.locator('thead').boundingBox())?.height).toBe(40);
    await expect.poll(() => table.locator('.tight-mode').first().isVisible()).toBe(true);
    const filters = page.locator('.filters-panel');
    expect(await filters.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
    // A narrow window does not show all columns: a shadow says so, which is missing at the end.
    await page.setViewportSize({ width: 720, height: 800 });
    const colorAtEnd = async () => {
      const box = await table.boundingBox();
      if (box === null) throw new Error('The table is not shown.');
      const clip = { x: box.x + box.width - 3, y: box.y + 100, width: 1, height: 1 };
      return (await page.screenshot({ clip })).toString('base64');
    };
    const withShadow = await colorAtEnd();
    await table.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
    await expect.poll(colorAtEnd).not.toBe(withShadow);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectAccessible(page);
  });

  it('cuts no short text of the list when the reader has increased the text spacing', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`, { viewport: { width: 1280, height: 800 } });
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important }',
      );
      document.adoptedStyleSheets = [sheet];
    });
    // The column of modes is for screen readers only, and has no width.
    const cells = page.locator('.virtual-table :is(th, td):not(.column-mode)');
    const cut = await cells.evaluateAll((all) =>
      all.filter((cell) => cell.scrollWidth > cell.clientWidth).map(({ textContent }) => textContent),
    );
    await expect.poll(() => cells.count()).toBeGreaterThan(35);
    expect(cut).toEqual([]);
  });

  it('the list of workspaces is a table for screen readers in narrow windows, with the number of all workspaces', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`, { viewport: { width: 390, height: 844 } });
    const table = page.getByRole('region', { name: 'Workspaces' }).getByRole('table');
    await table.getByRole('row').filter({ hasText: 'gamma' }).waitFor();
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('4');
    const rows = await table.getByRole('row').evaluateAll((all) => all.map((row) => row.getAttribute('aria-rowindex')));
    expect(rows).toEqual(['1', '2', '3', '4']);
    await expectAccessible(page);
  });

  it('removes a tag from the workspaces that have it, of a range that was selected with Shift', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByLabel('Select alpha').check();
    await page.getByLabel('Select gamma').click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    await page.getByLabel('Select beta').press('Space');
    await page.getByLabel('Select delta').press('Shift+Space');
    await page.getByText('2 selected').waitFor();
    await change(page, 'Remove tags');
    await page.getByRole('combobox', { name: 'Tags' }).fill('core');
    await page.keyboard.press('Enter');
    await expect.poll(() => outcomesOf(page)).toEqual(['alpha will change', 'gamma no change needed']);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('canceled', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Change 1 workspace' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Retry 2' }).click();
    await page.getByRole('button', { name: 'Change 1 workspace' }).click();
    await expect.poll(() => outcomesOf(page)).toEqual(['alpha changed', 'gamma no change needed']);
    const { data } = await request(`/organizations/${organization}/workspaces/alpha`);
    expect(data.attributes['tag-names']).toEqual([]);
  });

  it('shows and selects nothing of another organization after a switch, also while the list is loading', async () => {
    const other = await createOrganization('other');
    await createWorkspace(other, { name: 'of-the-other' });
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('checkbox', { name: 'Select all loaded workspaces' }).check();
    const change = page.getByRole('button', { name: 'Change…' });
    await change.waitFor();
    const held: Route[] = [];
    await page.route(`**/organizations/${other}/workspaces?**`, (route) => {
      held.push(route);
    });
    await page.getByRole('button', { name: /, switch$/ }).click();
    const entry = (name: string) => page.getByRole('menuitem', { name, exact: true });
    await expect.poll(() => entry(organization).getAttribute('aria-current')).toBe('true');
    await entry(other).click();
    await expect.poll(() => held.length).toBe(1);
    // The page is rendered again.
    await page.keyboard.press('t');
    await page.getByText('Times in').waitFor();
    await expect.poll(() => names(page)).toEqual([]);
    for (const route of held) await route.continue();
    await page.getByRole('link', { name: 'of-the-other' }).waitFor();
    await expect.poll(() => change.count()).toBe(0);
  });

  it('says what to do first, with lines to copy, in an organization without workspaces', async () => {
    const empty = await createOrganization();
    const { page } = await openConsole(`/app/${empty}/workspaces`, {
      expectedComplaints: /422 \(Unprocessable Entity\)/,
    });
    await page.getByText('There are no workspaces yet').waitFor();
    await expect.poll(() => page.getByRole('figure').count()).toBe(4);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New workspace' }).click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    const projects = page.getByRole('dialog').getByLabel('Project').locator('option');
    await expect.poll(() => projects.allTextContents()).toEqual(['Default Project (default)']);
    await name.fill('not a name');
    await name.press('Enter');
    await page.locator('.field-error').waitFor();
    await name.fill('first');
    await page.getByRole('dialog').getByLabel('Tags').fill('core, owner=platform');
    // A click next to the dialog loses neither the entries nor the focus.
    await page.mouse.click(8, 400);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/workspaces\/first$/);
    await page.getByText('Not locked').waitFor();
    for (const tag of ['core', 'owner=platform']) await page.getByText(tag, { exact: true }).waitFor();
  });

  it('opens any workspace from the command palette by keyboard alone', async () => {
    await createWorkspace(organization, { name: 'zeta-palette' });
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await page.keyboard.press('Control+k');
    // Typed while the palette is loading.
    await page.keyboard.type('zeta');
    await expect.poll(() => page.getByRole('combobox', { name: 'Name' }).inputValue()).toBe('zeta');
    await page.getByRole('option', { name: /zeta-palette/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/workspaces\/zeta-palette$/);
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    // The two keys of a shortcut must follow each other within a short time, which a busy computer could exceed.
    await page.clock.setFixedTime(Date.now());
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.waitForURL(/\/locks$/);
  });

  it('mark workspaces with the production tag of the organization, and show as many tags as fit', async () => {
    const own = await createOrganization();
    const change = { data: { type: 'organizations', attributes: { 'production-tag': 'environment=production' } } };
    await request(`/organizations/${own}`, { method: 'PATCH', body: change });
    const project = await create(`/organizations/${own}/projects`, 'projects', { name: 'Live' });
    const binding = (value: string) => ({
      'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'environment', value } }] },
    });
    await request(`/projects/${project.id}/tag-bindings`, {
      method: 'PATCH',
      body: { data: [{ type: 'tag-bindings', attributes: { key: 'environment', value: 'production' } }] },
    });
    await createWorkspace(own, { name: 'by-itself' }, binding('production'));
    await createWorkspace(own, { name: 'by-project' }, { project: { data: { type: 'projects', id: project.id } } });
    const tags = {
      data: ['core', 'network', 'europe', 'shared'].map((name) => ({ type: 'tags', attributes: { name } })),
    };
    await createWorkspace(own, { name: 'staging' }, { ...binding('staging'), tags });
    const { page } = await openConsole(`/app/${own}/workspaces`, { viewport: { width: 1280, height: 800 } });
    const rows = page.getByRole('row');
    for (const [name, count] of [
      ['by-itself', 1],
      ['by-project', 1],
      ['staging', 0],
    ] as const) {
      await rows.filter({ hasText: name }).waitFor();
      await expect
        .poll(() => rows.filter({ hasText: name }).getByText('production', { exact: true }).count())
        .toBe(count);
    }
    const shown = () => rows.filter({ hasText: 'staging' }).locator('.tag-link').count();
    const narrow = await shown();
    await page.setViewportSize({ width: 1440, height: 800 });
    await expect.poll(shown).toBeGreaterThan(narrow);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'by-project' }).click();
    await page.locator('header').getByText('production', { exact: true }).waitFor();
  });
});
