import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  openConsole,
  request,
} from '../support/console/console.ts';

describeConsole('the command palette', () => {
  let organization: string;
  let developers: string;

  beforeAll(async () => {
    organization = await createOrganization();
    const list = `/organizations/${organization}`;
    const bindings = { tags: { data: [{ type: 'tags', attributes: { name: 'shared-tag' } }] } };
    await createWorkspace(organization, { name: 'shared-network' }, bindings);
    const { id } = await createWorkspace(organization, { name: 'shared-billing' });
    await create(`/workspaces/${id}/vars`, 'vars', { key: 'SHARED_REGION', value: 'eu', category: 'env' });
    await create(`${list}/projects`, 'projects', { name: 'shared-project' });
    await create(`${list}/teams`, 'teams', { name: 'shared-secret', visibility: 'secret' });
    developers = (await create(`${list}/teams`, 'teams', { name: 'shared-developers', visibility: 'organization' })).id;
    const set = await create(`${list}/varsets`, 'varsets', { name: 'shared-set' });
    const variable = { key: 'SHARED_TOKEN', value: 'a', category: 'env' };
    await create(`/varsets/${set.id}/relationships/vars`, 'vars', variable);
  });

  const openPalette = async (page: Page) => {
    await page.locator('h1').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Name' }).waitFor();
  };

  const search = async (page: Page, text: string) => {
    await page.getByRole('combobox', { name: 'Name' }).fill(text);
    await expect.poll(() => page.getByRole('option', { name: new RegExp(text, 'i') }).count()).toBeGreaterThan(0);
  };

  /** Waits until a workspace is opened: its project is shown once it is loaded. */
  const waitForWorkspace = async (page: Page, name: string) => {
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('link', { name: 'Default Project' }).first().waitFor();
  };

  const options = (page: Page) => page.getByRole('option').allTextContents();

  it('finds everything by a part of its name, and variables by the beginning of the key', async () => {
    const { page } = await openConsole(`/app/${organization}/projects`);
    await openPalette(page);
    await page.getByRole('combobox', { name: 'Name' }).fill('SHARED');
    await expect
      .poll(async () => (await options(page)).toSorted())
      .toEqual(
        [
          'shared-network',
          'shared-billing',
          'shared-project',
          'shared-secret',
          'shared-developers',
          'shared-tag',
          'shared-set',
          'SHARED_TOKENof shared-set',
          'SHARED_REGIONof shared-billing',
        ].toSorted(),
      );
    await expect.poll(() => page.getByRole('group', { name: 'Teams' }).getByRole('option').count()).toBe(2);
    await expect
      .poll(() => page.locator('[role="option"] strong').allTextContents())
      .toEqual([...Array(7).fill('shared'), ...Array(2).fill('SHARED')]);
    await expectAccessible(page);
    await search(page, 'ada');
    await page.getByRole('group', { name: 'Members' }).getByRole('option', { name: 'ada' }).waitFor();
    await search(page, 'shared_tok');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'shared-set' }).waitFor();
    await openPalette(page);
    await search(page, 'shared_reg');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'shared-billing' }).waitFor();
    await page.getByText('SHARED_REGION').waitFor();
  });

  it('leads from the first variables to the list of all, and opens the first result if Enter is pressed before there is one', async () => {
    const { id } = await createWorkspace(organization, { name: 'region' });
    for (let number = 1; number <= 12; number += 1) {
      await create(`/workspaces/${id}/vars`, 'vars', { key: `PLENTY_${number}`, value: 'a', category: 'env' });
    }
    const { page } = await openConsole(`/app/${organization}/projects`);
    await openPalette(page);
    await search(page, 'plenty');
    const found = page.getByRole('group', { name: 'Variables' }).getByRole('option');
    await expect.poll(() => found.count()).toBe(11);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Variables' }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: /^PLENTY_/ }).count()).toBe(12);
    await openPalette(page);
    const input = page.getByRole('combobox', { name: 'Name' });
    await input.fill('_1');
    await page.getByText('Nothing found. Variables are found by the beginning of the key').waitFor();
    // The search has not even begun.
    await input.fill('shared-net');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'shared-network' }).waitFor();
  });

  it('creates a workspace or a project and invites a user, if the caller may', async () => {
    const { page } = await openConsole(`/app/${organization}/locks`);
    for (const [text, dialog] of [
      ['new w', 'New workspace'],
      ['new p', 'New project'],
      ['new v', 'New variable set'],
      ['new t', 'New team'],
      ['invite', 'Invite a user'],
    ] as const) {
      await openPalette(page);
      await search(page, text);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const { data } = await request(`/teams/${developers}/authentication-token`, { method: 'POST' });
    const member = await openConsole(`/app/${organization}/projects`, {
      token: data.attributes.token,
      expectedComplaints: /status of 404/,
    });
    await openPalette(member.page);
    await member.page.getByRole('option', { name: 'Projects', exact: true }).waitFor();
    await member.page.waitForLoadState('networkidle');
    expect(await member.page.getByRole('group', { name: 'Actions' }).count()).toBe(0);
  });

  it('shows no team that the caller may not see', async () => {
    const { data } = await request(`/teams/${developers}/authentication-token`, { method: 'POST' });
    const { page } = await openConsole(`/app/${organization}/projects`, {
      token: data.attributes.token,
      expectedComplaints: /status of 404/,
    });
    await openPalette(page);
    await page.getByRole('combobox', { name: 'Name' }).fill('shared');
    const teams = page.getByRole('group', { name: 'Teams' }).getByRole('option');
    await teams.getByText('developers').waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(() => teams.allTextContents()).toEqual(['shared-developers']);
  });

  it('lists first what was opened last, until the user signs out', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces/shared-billing`);
    await waitForWorkspace(page, 'shared-billing');
    await page.goto(addressOf(`/app/${organization}/workspaces/shared-network/history`));
    await waitForWorkspace(page, 'shared-network');
    await openPalette(page);
    await expect.poll(async () => (await options(page)).slice(0, 2)).toEqual(['shared-network', 'shared-billing']);
    await page.getByRole('option', { name: /shared-billing/ }).click();
    await waitForWorkspace(page, 'shared-billing');
    await openPalette(page);
    await expect.poll(async () => (await options(page))[0]).toBe('shared-billing');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Account and display' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('holdfast.recent'))).toBeNull();
  });

  it('locks and unlocks a workspace, and opens its pages, by a word and its name', async () => {
    await createWorkspace(organization, { name: 'my-shared-network' });
    const { page } = await openConsole(`/app/${organization}/locks`);
    await openPalette(page);
    await search(page, 'lock shared-net');
    // First what begins with the name.
    await expect.poll(() => options(page)).toEqual(['Lock shared-network', 'Lock my-shared-network']);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Lock “shared-network”' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Locked the workspace shared-network.').waitFor();
    await openPalette(page);
    await search(page, 'unlock shared-net');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Unlock “shared-network”' }).waitFor();
    // Leaving the dialog does not open it again.
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('Locked by you').waitFor();
    // Without a name, it is the open workspace.
    await openPalette(page);
    await search(page, 'unl');
    await page.getByRole('option', { name: 'Unlock shared-network', selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await openPalette(page);
    await search(page, 'variables shared-bil');
    await page.keyboard.press('Enter');
    await page.getByText('SHARED_REGION').waitFor();
  });
});
