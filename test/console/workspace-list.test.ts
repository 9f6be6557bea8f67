import { createHash } from 'node:crypto';
import type { Page, Request, Route } from 'playwright-core';

import { beforeAll, expect, it } from 'vitest';
import {
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  ownerToken,
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

const names = (page: Page): Promise<string[]> => page.locator('.workspace-name').allTextContents();

describeConsole('the list of workspaces in the web console', () => {
  let organization: string;
  let lockedAt: number;

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
  });

  it('searches while typing, filters and sorts on the server, and keeps all of it in the URL', async () => {
    const { page, requests } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    expect(await names(page)).toEqual(['alpha', 'beta', 'delta', 'gamma']);
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
    expect(await page.getByLabel('Search by name').evaluate((field) => field === document.activeElement)).toBe(true);

    await page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(() => names(page)).toEqual(['gamma', 'delta', 'beta', 'alpha']);
    expect(new URL(page.url()).search).toBe('?sort=-name');

    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    expect(await page.getByLabel('Order').inputValue()).toBe('-name');
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
    const filters = 'locked=true&version=1.9.5&mode=remote,agent';
    const { page } = await openConsole(`/app/${organization}/workspaces?${filters}`, { now: lockedAt });
    await page.getByRole('link', { name: 'delta' }).waitFor();
    expect(await page.locator('.lock').textContent()).toMatch(/ now$/);
    expect(await page.getByRole('button', { name: 'Locked', pressed: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Remove the filter Execution mode: remote, agent' }).waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    expect(await page.getByLabel('Execution mode', { exact: true }).inputValue()).toBe('remote,agent');
  });

  it('filters by a tag of a row, which the arrow keys reach, and offers the tag that was searched as a name', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.getByRole('link', { name: 'alpha' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(['alpha', 'beta']);
    expect(new URL(page.url()).search).toBe('?tags=core');
    await page.getByRole('button', { name: 'Remove the filter Tags: core' }).click();
    await page.getByLabel('Search by name').fill('core');
    await page.getByRole('button', { name: 'Show 2 workspaces with the tag core' }).click();
    await expect.poll(() => names(page)).toEqual(['alpha', 'beta']);
    expect(new URL(page.url()).search).toBe('?tags=core');
  });

  it('says which tag and which version no workspace has', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces?tags=core,nobody&version=9.9.9`);
    await page.getByText('No workspace has the tag nobody yet. Check the spelling.').waitFor();
    await page.getByText('No workspace uses the tool version 9.9.9 yet. Check the spelling.').waitFor();
    expect(await page.getByText('Check the spelling').count()).toBe(2);
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

  it('changes the version of a selection, with a preview and a result for each workspace', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces?tags=core`);
    await page.getByLabel('Select alpha').check();
    expect(await page.locator('thead .checkbox:indeterminate').count()).toBe(1);
    await page.getByRole('button', { name: 'Select all 2' }).click();
    await page.getByLabel('Select beta').uncheck();
    await page.getByText('1 selected').waitFor();
    await page.getByLabel('Select beta').check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('menuitem', { name: 'Set the tool version' }).click();
    await page.getByRole('textbox', { name: 'Tool version' }).fill('1.9.77');
    await page.keyboard.press('Enter');
    await page.getByText('No workspace uses the tool version 1.9.77 yet. Check the spelling.').waitFor();
    await page.getByText('2 will change (1 with warnings).').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    // Older than the version of both workspaces, and not older than that of the state of beta. Alpha has no state.
    await page.getByRole('textbox', { name: 'Tool version' }).fill('1.10.0');
    await page.keyboard.press('Enter');
    await page.getByText('2 will change.').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('textbox', { name: 'Tool version' }).fill('1.9.5');
    await page.keyboard.press('Enter');
    const changes = page.getByRole('dialog').locator('.changes');
    await expect.poll(() => changes.count()).toBe(2);
    expect(await changes.first().textContent()).toMatch(/^Tool version .*→ 1\.9\.5$/);
    await page.getByText('2 will change (1 with warnings).').waitFor();
    const warning = page.getByText('Older than version 1.10.0 of the state, which it may not be able to read.');
    await warning.waitFor();
    await page.getByLabel('Leave out the workspace with warnings').check();
    await page.getByText('1 will change, 1 left out.').waitFor();
    await page.getByRole('button', { name: 'Change 1 workspace' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Leave out the workspace with warnings').uncheck();

    await page.getByRole('button', { name: 'Change 2' }).click();
    await page.getByText('2 done.').waitFor();
    expect(await warning.count()).toBe(0);
    await page.getByRole('button', { name: 'Show as curl' }).click();
    const command = await page.locator('pre').textContent();
    expect(command).toContain('"infra-version": "1.9.5"');
    expect(command).toContain('Bearer $HOLDFAST_TOKEN');
    const stored = await request(`/organizations/${organization}/workspaces?filter[infra-version]=1.9.5`);
    expect(stored.meta.pagination['total-count']).toBe(3);
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

  it('reports the workspaces that an action cannot change, changes the others, and shows failures first', async () => {
    const { data: gamma } = await request(`/organizations/${organization}/workspaces/gamma`);
    const { page } = await openConsole(`/app/${organization}/workspaces`, { expectedComplaints: /403 \(Forbidden\)/ });
    const lockOfGamma = `**/workspaces/${gamma.id}/actions/lock`;
    const errors = [{ status: '403', title: 'forbidden', detail: 'You may not lock it any more.' }];
    await page.route(lockOfGamma, (route) => route.fulfill({ status: 403, json: { errors } }));
    await page.getByLabel('Select all loaded workspaces').check();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('menuitem', { name: 'Lock', exact: true }).click();
    await page.getByLabel('Reason').fill('release day');
    await page.keyboard.press('Enter');
    await page.getByText('3 will change, 1 cannot be changed.').waitFor();
    await page.getByRole('button', { name: 'Change 3' }).click();
    await page.getByText('2 done, 1 failed.').waitFor();
    await page.locator('.bulk-item').first().getByText('You may not lock it any more.').waitFor();
    await page.unroute(lockOfGamma);
    await page.getByRole('button', { name: 'Continue with 1 workspace' }).click();
    await page.getByText('3 done.').waitFor();
    const locked = await request(`/organizations/${organization}/workspaces?filter[locked]=true`);
    expect(locked.meta.pagination['total-count']).toBe(4);
  });

  it('draws only the visible ones of 10,000 workspaces, and loads only the visible pages', async () => {
    const template = (await request(`/organizations/${organization}/workspaces?page[size]=1`)).data[0];
    const { page } = await openConsole('/app/sign-in');
    const loaded = await serveManyWorkspaces(page, template);
    await page.goto(new URL(`/app/${organization}/workspaces`, page.url()).href);
    await page.getByRole('link', { name: 'workspace-0', exact: true }).waitFor();
    await page.locator('.virtual-table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await page.getByRole('link', { name: 'workspace-9999' }).waitFor();
    expect(await page.locator('.virtual-table tbody tr').count()).toBeLessThan(60);
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
    expect(await table.locator('.tight-mode').first().isVisible()).toBe(true);
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
    const cells = page.locator('.virtual-table :is(th, td)');
    const cut = await cells.evaluateAll((all) =>
      all.filter((cell) => cell.scrollWidth > cell.clientWidth).map(({ textContent }) => textContent),
    );
    expect(await cells.count()).toBeGreaterThan(40);
    expect(cut).toEqual([]);
  });

  it('the list of workspaces is a table for screen readers in narrow windows, with the number of all workspaces', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`, { viewport: { width: 390, height: 844 } });
    const table = page.getByRole('region', { name: 'Workspaces' }).getByRole('table');
    await table.getByRole('row').filter({ hasText: 'gamma' }).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('4');
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
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('menuitem', { name: 'Remove tags' }).click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('core');
    await page.keyboard.press('Enter');
    await page.getByText('1 will change, 1 unchanged.').waitFor();
    await page.getByRole('button', { name: 'Change 1 workspace' }).click();
    await page.getByText('1 done.').waitFor();
    const { data } = await request(`/organizations/${organization}/workspaces/alpha`);
    expect(data.attributes['tag-names']).toEqual([]);
  });

  it('stops a change of several workspaces with Escape, and then shows its results', async () => {
    const other = await createOrganization();
    for (const name of ['one', 'two']) await createWorkspace(other, { name });
    const { page } = await openConsole(`/app/${other}/workspaces`);
    const held: Route[] = [];
    await page.route('**/actions/lock', (route) => {
      held.push(route);
    });
    await page.getByRole('checkbox', { name: 'Select all loaded workspaces' }).check();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('menuitem', { name: 'Lock', exact: true }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Change 2 workspaces' }).click();
    await expect.poll(() => held.length).toBe(2);
    await page.keyboard.press('Escape');
    for (const route of held) await route.continue();
    await page.getByText('2 done.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('starts no further requests of a change of several workspaces after the page was left or the token was rejected', async () => {
    const other = await createOrganization();
    const all = Array.from({ length: 8 }, (_, index) => `one-of-eight-${index}`);
    for (const name of all) await createWorkspace(other, { name });
    const { page } = await openConsole(`/app/${other}/locks`, { expectedComplaints: /status of 401/ });
    let held: Route[] = [];
    await page.route('**/actions/lock', (route) => {
      held.push(route);
    });
    const lockAll = async () => {
      await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
      await page.getByRole('checkbox', { name: 'Select all loaded workspaces' }).check();
      await page.getByRole('button', { name: 'Change…' }).click();
      await page.getByRole('menuitem', { name: 'Lock', exact: true }).click();
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('button', { name: 'Change 8 workspaces' }).click();
      await expect.poll(() => held.length).toBe(6);
    };
    const isLocked = async (): Promise<boolean[]> =>
      (await request(`/organizations/${other}/workspaces`)).data.map(
        ({ attributes }: { attributes: { locked: boolean } }) => attributes.locked,
      );
    // The page is kept for a user who is known.
    await page.waitForLoadState('networkidle');
    await lockAll();
    for (const route of held) await route.fulfill({ status: 401, json: { errors: [] } });
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    // The dialog below is already there, and Escape would close the one above it.
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'detached' });
    await page.getByText('0 done, 6 failed, 2 not started.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Locks', exact: true }).click();

    held = [];
    await lockAll();
    await page.goBack();
    await page.getByText('No workspace is locked').waitFor();
    for (const route of held) await route.continue();
    await expect.poll(async () => (await isLocked()).filter(Boolean).length).toBe(6);
    await page.waitForLoadState('networkidle');
    expect(held).toHaveLength(6);
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
    await page.getByRole('menuitem', { name: other, exact: true }).click();
    await expect.poll(() => held.length).toBe(1);
    // The page is rendered again.
    await page.keyboard.press('t');
    await page.getByText('Times in').waitFor();
    expect(await names(page)).toEqual([]);
    for (const route of held) await route.continue();
    await page.getByRole('link', { name: 'of-the-other' }).waitFor();
    expect(await change.count()).toBe(0);
  });

  it('continues a change of several workspaces with the same requests where their outcome is not known', async () => {
    const other = await createOrganization();
    for (const name of ['one', 'two']) await createWorkspace(other, { name });
    const { page } = await openConsole(`/app/${other}/workspaces`, { expectedComplaints: /status of (503|409)/ });
    const rejected = (await request(`/organizations/${other}/workspaces/two`)).data.id;
    const isOfRejected = (sent: Request) => sent.url().includes(rejected);
    const sent: Request[] = [];
    page.on('request', (one) => {
      if (one.url().endsWith('/actions/lock')) sent.push(one);
    });
    await page.route('**/actions/lock', async (route) => {
      const isRejected = isOfRejected(route.request());
      // The workspace `one` is locked, but the response does not say so. That of `two` is settled.
      if (!isRejected) await route.fetch();
      await route.fulfill({
        status: isRejected ? 409 : 503,
        headers: isRejected ? {} : { 'retry-after': '60' },
        json: { errors: [{ status: isRejected ? '409' : '503', title: 'failure', detail: 'It failed.' }] },
      });
    });
    await page.getByRole('checkbox', { name: 'Select all loaded workspaces' }).check();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('menuitem', { name: 'Lock', exact: true }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Change 2 workspaces' }).click();
    await page.getByText('0 done, 2 failed.').waitFor();
    await page.unroute('**/actions/lock');
    await page.getByRole('button', { name: 'Continue with 2 workspaces' }).click();
    await page.getByText('2 done.').waitFor();
    const countKeys = (requests: readonly Request[]) =>
      new Set(requests.map((one) => one.headers()['idempotency-key'])).size;
    expect(sent).toHaveLength(4);
    expect(countKeys(sent.filter((one) => !isOfRejected(one)))).toBe(1);
    expect(countKeys(sent.filter(isOfRejected))).toBe(2);
  });

  it('says what to do first, with lines to copy, in an organization without workspaces', async () => {
    const empty = await createOrganization();
    const { page } = await openConsole(`/app/${empty}/workspaces`, {
      expectedComplaints: /422 \(Unprocessable Entity\)/,
    });
    await page.getByText('There are no workspaces yet').waitFor();
    expect(await page.getByRole('figure').count()).toBe(3);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New workspace' }).click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    const projects = page.getByRole('dialog').getByLabel('Project').locator('option');
    await expect.poll(() => projects.allTextContents()).toEqual(['Default Project (default)']);
    await name.fill('not a name');
    await name.press('Enter');
    await page.locator('.field-error').waitFor();
    await name.fill('first');
    // A click next to the dialog loses neither the entries nor the focus.
    await page.mouse.click(8, 400);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/workspaces\/first$/);
    await page.getByText('Not locked').waitFor();
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
});
