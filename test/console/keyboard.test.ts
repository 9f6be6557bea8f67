import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
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
import { keyboardOf } from '../support/console/keyboard.ts';

/** Every flow without a pointer. `keyboardOf` checks at each step that something has the focus and shows it. */

const uploadState = async (workspace: string, serial: number): Promise<void> => {
  const resource = {
    mode: 'managed',
    type: 'aws_vpc',
    name: 'main',
    provider: 'provider["registry.terraform.io/hashicorp/aws"]',
    instances: [{ attributes: { cidr: `10.${serial}.0.0/16` } }],
  };
  const content = JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'lineage',
    outputs: {},
    resources: [resource],
  });
  await create(`/workspaces/${workspace}/state-versions`, 'state-versions', {
    serial,
    lineage: 'lineage',
    md5: createHash('md5').update(content).digest('hex'),
    state: Buffer.from(content).toString('base64'),
  });
};

describeConsole('the web console by keyboard alone', () => {
  let organization: string;

  const open = async (path: string, options: Parameters<typeof openConsole>[1] = {}) => {
    const { page } = await openConsole(`/app/${organization}/${path}`, options);
    const dialog = page.getByRole('dialog');
    return {
      page,
      keyboard: keyboardOf(page),
      button: (name: string) => page.getByRole('button', { name, exact: true }),
      field: (label: string) => dialog.getByLabel(label, { exact: true }),
      inDialog: (name: string) => dialog.getByRole('button', { name, exact: true }).last(),
      heading: (name: string) => page.getByRole('heading', { level: 1, name, exact: true }),
      waitForClosedDialogs: () => dialog.waitFor({ state: 'detached' }),
    };
  };
  const names = (page: Page) => page.locator('.workspace-name').allTextContents();

  beforeAll(async () => {
    organization = await createOrganization();
    await create(`/organizations/${organization}/teams`, 'teams', { name: 'developers' });
    const core = { tags: { data: [{ type: 'tags', attributes: { name: 'core' } }] } };
    for (const name of ['keyboard-1', 'keyboard-2']) await createWorkspace(organization, { name }, core);
    const [owners] = (await request(`/organizations/${organization}/teams?filter[names]=owners`)).data;
    const ofTeam = await request(`/teams/${owners.id}/authentication-token`, { method: 'POST' });
    for (const name of ['locked-1', 'locked-2']) {
      const { id } = await createWorkspace(organization, { name });
      const lock = { body: { reason: 'maintenance' }, token: ofTeam.data.attributes.token };
      await request(`/workspaces/${id}/actions/lock`, lock);
    }
    const network = await createWorkspace(organization, { name: 'network' });
    for (const key of ['region', 'size']) {
      await create(`/workspaces/${network.id}/vars`, 'vars', { key, value: '1', category: 'infra' });
    }
    await request(`/workspaces/${network.id}/actions/lock`, { method: 'POST' });
    await uploadState(network.id, 1);
    await uploadState(network.id, 2);
    await request(`/workspaces/${network.id}/actions/unlock`, { method: 'POST' });
    for (let number = 1; number <= 21; number += 1) {
      await create(`/organizations/${organization}/agent-pools`, 'agent-pools', { name: `pool-${number}` });
    }
    const removed = await createWorkspace(organization, { name: 'removed' });
    await request(`/workspaces/${removed.id}`, { method: 'DELETE' });
  });

  it('signs in, searches, filters, and changes a selection', async () => {
    const { page, keyboard, button, field, heading } = await open('workspaces', { token: false });
    await keyboard.expectFocus(page.getByLabel('Token'));
    await keyboard.type(ownerToken());
    await keyboard.press('Enter');
    await keyboard.expectFocus(heading('Workspaces'));

    await keyboard.press('/');
    await keyboard.expectFocus(page.getByLabel('Search by name'));
    await keyboard.type('keyboard');
    await expect.poll(() => names(page)).toEqual(['keyboard-1', 'keyboard-2']);
    await keyboard.activate(button('Filters'));
    await keyboard.tabTo(page.getByLabel('Tags'));
    await keyboard.type('core');
    const chip = button('Remove the filter Tags: core');
    await keyboard.activate(chip, 'backwards');
    await chip.waitFor({ state: 'detached' });
    await keyboard.expectFocus(page.getByRole('button', { name: /^Failed/ }));
    await keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await keyboard.press('Escape');
    await keyboard.expectFocus(page.getByRole('button', { name: /^Failed/ }));

    await keyboard.tabTo(page.getByRole('checkbox', { name: 'Select all loaded workspaces' }));
    await keyboard.press('Space');
    await keyboard.activate(button('Change…'));
    await keyboard.expectFocus(page.getByRole('menuitem', { name: 'Lock', exact: true }));
    await keyboard.press('Escape');
    await keyboard.expectFocus(button('Change…'));
    await keyboard.press('Enter');
    await keyboard.expectFocus(page.getByRole('menuitem', { name: 'Lock', exact: true }));
    for (const index of [1, 2, 3, 4, 5]) {
      await keyboard.press('ArrowDown');
      await keyboard.expectFocus(page.getByRole('menuitem').nth(index));
    }
    await keyboard.expectFocus(page.getByRole('menuitem', { name: 'Set the tool version' }));
    await keyboard.press('Enter');
    await keyboard.expectFocus(field('Tool version'));
    await keyboard.type('1.9.5');
    await keyboard.activate(button('Preview'));
    await keyboard.expectFocus(heading('Edit settings: Tool version 1.9.5'));
    await button('Change 2 workspaces').waitFor();
    await keyboard.activate(button('Change 2 workspaces'));
    await page.getByText('complete', { exact: true }).waitFor();
    await page.goBack();
    await keyboard.tabTo(page.getByRole('checkbox', { name: 'Select all loaded workspaces' }));
    await keyboard.press('Space');
    await keyboard.activate(button('Clear'));
    await button('Clear').waitFor({ state: 'detached' });
    await keyboard.expectFocus(heading('Workspaces'));

    await keyboard.press('Control+k');
    await keyboard.expectFocus(page.getByRole('combobox', { name: 'Name' }));
    await keyboard.type('keyboard-2');
    await page.getByRole('option', { name: /keyboard-2/ }).waitFor();
    await keyboard.press('Enter');
    await keyboard.expectFocus(heading('keyboard-2'));
    await keyboard.activate(button('Lock'));
    await keyboard.expectFocus(field('Reason (optional)'));
    await keyboard.type('by keyboard');
    await keyboard.press('Enter');
    await keyboard.expectFocus(button('Unlock'));
    await page.getByText('by keyboard').waitFor();
  });

  it('force-unlocks a workspace with a reason, and continues with the next one', async () => {
    const { page, keyboard, button, field, heading } = await open('locks');
    await keyboard.start(button('Force-unlock locked-1'));
    await keyboard.activate(button('Force-unlock locked-1'));
    await keyboard.expectFocus(field('Your reason (required)'));
    await keyboard.type('the pipeline has crashed');
    await keyboard.press('Enter');
    await button('Force-unlock locked-1').waitFor({ state: 'detached' });
    await keyboard.expectFocus(button('Force-unlock locked-2'));
    // The two keys of a shortcut must follow each other within a short time, which a busy computer could exceed.
    await page.clock.setFixedTime(Date.now());
    await keyboard.press('g');
    await keyboard.press('w');
    await keyboard.expectFocus(heading('Workspaces'));
  });

  it('turns the pages of a list', async () => {
    const { page, keyboard, button } = await open('agent-pools');
    await keyboard.start(button('Next'));
    await keyboard.activate(button('Next'), 'backwards');
    await page.getByText('Page 2 of 2').waitFor();
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
    await keyboard.expectFocus(button('Next'));
    await keyboard.activate(button('Previous'), 'backwards');
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(20);
    await keyboard.expectFocus(button('Previous'));
  });

  it('edits and deletes variables, compares states, and changes a setting of a workspace', async () => {
    const { page, keyboard, button, field, inDialog, waitForClosedDialogs } =
      await open('workspaces/network/variables');
    await keyboard.start(button('Edit size'));
    await keyboard.activate(button('Edit size'));
    await keyboard.expectFocus(field('Value'));
    await keyboard.press('Control+a');
    await keyboard.type('2');
    await keyboard.activate(inDialog('Save'));
    await page.getByText('Changed the variable size.').waitFor();
    await keyboard.expectFocus(button('Edit size'));
    await keyboard.activate(button('Delete size'));
    await keyboard.activate(inDialog('Delete'));
    await button('Delete size').waitFor({ state: 'detached' });
    await keyboard.expectFocus(button('Delete region'));
    await keyboard.activate(button('Add variable'), 'backwards');
    await keyboard.expectFocus(field('Key'));
    await keyboard.type('zone');
    await keyboard.press('Enter');
    await page.getByText('Added the variable zone.').waitFor();
    await keyboard.expectFocus(button('Add variable'));

    const tab = (name: string) => page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name });
    await keyboard.activate(tab('State'), 'backwards');
    await keyboard.tabTo(page.getByLabel('Compare version 1'));
    await keyboard.press('Space');
    await keyboard.tabTo(page.getByLabel('Compare version 2'), 'backwards');
    await keyboard.press('Space');
    await keyboard.activate(button('Compare'), 'backwards');
    await page.getByRole('dialog').getByText('0 added, 1 changed, 0 removed').waitFor();
    await keyboard.press('Escape');
    await waitForClosedDialogs();
    await keyboard.expectFocus(button('Compare'));

    await keyboard.activate(tab('Settings'), 'backwards');
    await keyboard.tabTo(page.getByLabel('Description'));
    await keyboard.type('changed by keyboard');
    await keyboard.activate(button('Save'));
    await page.getByText(/^Changed the settings of the workspace /).waitFor();
    await keyboard.expectFocus(button('Save'));
  });

  it('deletes a workspace safely or after its name was typed, and restores a deleted one', async () => {
    const { page, keyboard, button, field, inDialog, heading } = await open('deleted-workspaces', {
      // The dialog may still load what the deletion is about when it is confirmed.
      expectedComplaints: /status of 404/,
    });
    await keyboard.start(button('Restore removed'));
    await keyboard.activate(button('Restore removed'));
    await keyboard.expectFocus(field('Name'));
    await keyboard.press('Enter');
    await keyboard.expectFocus(heading('removed'));

    const settings = page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Settings' });
    await keyboard.activate(settings);
    await keyboard.activate(button('Delete safely'));
    await keyboard.activate(inDialog('Delete safely'));
    await keyboard.expectFocus(heading('Workspaces'));
    await keyboard.activate(page.getByRole('link', { name: 'Deleted workspaces' }), 'backwards');
    await keyboard.expectFocus(heading('Deleted workspaces'));
    await keyboard.activate(button('Delete permanently removed'));
    await keyboard.expectFocus(page.getByLabel('Type removed to confirm'));
    await keyboard.type('removed');
    await keyboard.press('Enter');
    await page.getByText('There are no deleted workspaces').waitFor();
    await keyboard.expectFocus(heading('Deleted workspaces'));
  });

  it('gives a team access to a project, changes it and removes it', async () => {
    const { page, keyboard, button, field, inDialog } = await open('projects');
    const link = page.getByRole('link', { name: 'Default Project', exact: true });
    await keyboard.start(link);
    await keyboard.activate(link);
    await keyboard.expectFocus(page.getByRole('heading', { level: 1, name: 'Default Project' }));
    await keyboard.activate(button('Add team'));
    await keyboard.expectFocus(field('Team'));
    await keyboard.type('developers');
    await keyboard.activate(inDialog('Add'));
    await page.getByRole('row', { name: /developers read/i }).waitFor();
    await keyboard.expectFocus(button('Add team'));
    await keyboard.activate(button('Edit developers'));
    await keyboard.expectFocus(field('Access'));
    await keyboard.type('Maintain');
    await keyboard.activate(inDialog('Save'));
    await page.getByRole('row', { name: /developers maintain/i }).waitFor();
    await keyboard.expectFocus(button('Edit developers'));
    await keyboard.activate(button('Remove developers'));
    await keyboard.activate(inDialog('Remove'));
    await keyboard.expectFocus(page.getByRole('heading', { name: 'Team access', exact: true }));
  });

  it('creates a variable set with a variable, assigns it, and creates a token', async () => {
    const { page, keyboard, button, field, inDialog, heading, waitForClosedDialogs } = await open('variable-sets', {
      expectedComplaints: /status of 404/,
    });
    await keyboard.start(button('New variable set'));
    await keyboard.activate(button('New variable set'));
    await keyboard.expectFocus(field('Name'));
    await keyboard.type('common');
    await keyboard.tabTo(field('Workspace (optional)'));
    await keyboard.type('keyboard-2');
    await keyboard.activate(button('Add workspace'));
    await page.getByRole('list', { name: 'Chosen workspaces' }).getByText('keyboard-2').waitFor();
    await keyboard.activate(inDialog('Create'));
    await keyboard.expectFocus(heading('common'));
    await page.getByRole('row', { name: /^keyboard-2 workspace/ }).waitFor();
    await keyboard.activate(button('Add variable'));
    await keyboard.expectFocus(field('Key'));
    await keyboard.type('API_TOKEN');
    await keyboard.press('Enter');
    await page.getByRole('row', { name: /API_TOKEN/ }).waitFor();
    await keyboard.expectFocus(button('Add variable'));
    await keyboard.activate(button('Add variable'));
    await keyboard.expectFocus(field('Key'));
    await keyboard.type('REGION');
    await keyboard.press('Enter');
    await keyboard.expectFocus(button('Add variable'));
    await keyboard.activate(button('Delete API_TOKEN'));
    await keyboard.activate(inDialog('Delete'));
    await button('Delete API_TOKEN').waitFor({ state: 'detached' });
    await keyboard.expectFocus(button('Delete REGION'));
    await keyboard.activate(button('Add workspace'));
    await keyboard.expectFocus(field('Workspace'));
    await keyboard.type('network');
    await keyboard.activate(inDialog('Add'));
    await page.getByRole('row', { name: /network workspace/ }).waitFor();
    await keyboard.expectFocus(button('Add workspace'));

    await keyboard.activate(page.getByRole('link', { name: 'Tokens' }), 'backwards');
    await keyboard.expectFocus(heading('Tokens'));
    await keyboard.activate(button('New team token'));
    await keyboard.expectFocus(field('Team'));
    await keyboard.type('developers');
    await keyboard.tabTo(field('Description (optional)'));
    await keyboard.type('pipeline');
    await keyboard.press('Enter');
    await page.getByText('It is shown only now.').waitFor();
    await keyboard.activate(inDialog('Done'));
    await waitForClosedDialogs();
    await keyboard.expectFocus(button('New team token'));

    await keyboard.activate(page.getByRole('link', { name: 'Settings' }), 'backwards');
    await keyboard.expectFocus(heading('Organization settings'));
    const flag = page.getByLabel('Admins of workspaces may force delete');
    await keyboard.tabTo(flag);
    await keyboard.press('Space');
    await keyboard.press('Enter');
    await page.getByText(/^Changed the settings of /).waitFor();
    await keyboard.expectFocus(flag);
  });

  it('opens and closes the navigation and the menus on a narrow screen', async () => {
    const { page, keyboard, button, heading } = await open('locks', { viewport: { width: 390, height: 844 } });
    await keyboard.start(heading('Locks'));
    await keyboard.expectFocus(page.getByRole('link', { name: 'Skip to the content' }));
    await keyboard.press('Enter');
    await keyboard.expectFocus(page.getByRole('main'));
    await keyboard.activate(button('Open the navigation'), 'backwards');
    await keyboard.expectFocus(page.getByRole('link', { name: 'Home', exact: true }));
    await keyboard.press('Escape');
    await keyboard.expectFocus(button('Open the navigation'));
    await keyboard.press('Enter');
    await keyboard.activate(page.getByRole('link', { name: 'Projects', exact: true }));
    await keyboard.expectFocus(heading('Projects'));
    await keyboard.activate(button('Account and display'), 'backwards');
    await keyboard.expectFocus(page.getByRole('menuitemradio', { name: 'System' }));
    await keyboard.press('ArrowRight');
    await keyboard.expectFocus(page.getByRole('menuitemradio', { name: 'Light' }));
    await keyboard.press('End');
    await keyboard.expectFocus(page.getByRole('menuitem', { name: 'Sign out' }));
    await keyboard.press('Enter');
    await keyboard.expectFocus(page.getByLabel('Token'));
    await expect.poll(() => page.url()).toBe(addressOf('/app/sign-in?reason=signed-out'));
  });

  it('adds, changes and removes a tag of a workspace', async () => {
    const { page, keyboard, button, field, inDialog } = await open('workspaces/keyboard-2');
    await keyboard.start(button('Edit tags'));
    await keyboard.activate(button('Edit tags'));
    await keyboard.expectFocus(field('Key'));
    await keyboard.type('team');
    await keyboard.tabTo(page.getByLabel('Value'));
    await keyboard.type('network');
    await keyboard.press('Enter');
    await keyboard.expectFocus(field('Key'));
    await keyboard.activate(button('Edit team'));
    await keyboard.expectFocus(page.getByLabel('Value'));
    await keyboard.type('-core');
    await keyboard.press('Enter');
    await keyboard.expectFocus(field('Key'));
    await page.getByRole('row', { name: /^team network-core/ }).waitFor();
    await keyboard.activate(button('Remove team'));
    await keyboard.activate(inDialog('Remove'));
    await keyboard.expectFocus(button('Remove core'));
    await keyboard.press('Escape');
    await keyboard.expectFocus(button('Edit tags'));
  });
});
