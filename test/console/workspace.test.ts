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

interface Tag {
  readonly attributes: { readonly key: string; readonly value: string };
}

describeConsole('a workspace in the web console', () => {
  let organization: string;

  beforeAll(async () => {
    organization = await createOrganization();
  });

  it('a workspace is locked and unlocked with a reason', async () => {
    await createWorkspace(organization, { name: 'locked' });
    const { page } = await openConsole(`/app/${organization}/workspaces/locked`);
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByLabel('Reason').fill('moving the database');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Locked by you' }).waitFor();
    await page.getByText('moving the database').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Force-unlock' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await page.getByText('Unlocked the workspace locked.').waitFor();
    await page.getByRole('heading', { name: 'Not locked' }).waitFor();
  });

  it('locks are listed with the oldest first; own ones are unlocked, those of others force-unlocked with a reason', async () => {
    const [owners] = (await request(`/organizations/${organization}/teams?filter[names]=owners`)).data;
    const { data } = await request(`/teams/${owners.id}/authentication-token`, { method: 'POST' });
    const teamToken: string = data.attributes.token;
    const times: number[] = [];
    for (const name of ['first-lock', 'second-lock', 'own-lock']) {
      const { id } = await createWorkspace(organization, { name });
      const body = { reason: `lock of ${name}` };
      const holder = name !== 'own-lock' && { token: teamToken };
      const locked = await request(`/workspaces/${id}/actions/lock`, { body, ...holder });
      times.push(Date.parse(locked.data.attributes['locked-at']));
    }
    const { page } = await openConsole(`/app/${organization}/locks`, { now: Math.min(...times) });
    await page.locator('header', { hasText: 'Locks3' }).waitFor();
    const names = page.locator('tbody th a[href*="/workspaces/"]');
    await expect.poll(() => names.allTextContents()).toEqual(['first-lock', 'second-lock', 'own-lock']);
    await page.getByRole('row', { name: /^first-lock Default Project owners \(team\) just now lock of/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Force-unlock first-lock' }).click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Force-unlock' }).getAttribute('aria-disabled'))
      .toBe('true');
    const facts = await dialog.locator('dd').allTextContents();
    expect(facts).toEqual(['owners (team)', 'lock of first-lock', expect.stringMatching(/^just now \(/)]);
    await dialog.getByLabel('Reason').fill('the pipeline has crashed');
    await page.keyboard.press('Enter');
    await expect.poll(() => names.allTextContents()).toEqual(['second-lock', 'own-lock']);
    await expect.poll(() => page.getByRole('button', { name: 'Force-unlock own-lock' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Unlock own-lock', exact: true }).click();
    await expect.poll(() => names.allTextContents()).toEqual(['second-lock']);

    await page.getByRole('link', { name: 'Show in the list of workspaces' }).click();
    await page.getByLabel('Select second-lock').check();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('menuitem', { name: 'Unlock' }).click();
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('row', { name: /^second-lock cannot change .* locked by Team/ }).waitFor();
  });

  it('shows which value of a variable wins, and changes it', async () => {
    const { id } = await createWorkspace(organization, { name: 'variables' });
    await create(`/workspaces/${id}/vars`, 'vars', { key: 'region', value: 'eu-central-1', category: 'infra' });
    const priority = { name: 'Enforced', global: true, priority: true };
    const set = await create(`/organizations/${organization}/varsets`, 'varsets', priority);
    const winner = { key: 'region', value: 'us-east-1', category: 'infra' };
    await create(`/varsets/${set.id}/relationships/vars`, 'vars', winner);
    const { page } = await openConsole(`/app/${organization}/workspaces/variables/variables`, {
      expectedComplaints: /422 \(Unprocessable Entity\)/,
    });
    await page.getByText('overridden', { exact: true }).waitFor();
    const rows = page.locator('.variable-table tbody tr');
    await expect.poll(() => rows.nth(0).textContent()).toMatch(/us-east-1.*Enforced.*priority/);
    await expect.poll(() => rows.nth(1).textContent()).toMatch(/eu-central-1.*overridden by Enforced.*this workspace/);
    await page.getByText('A variable set with priority overrides the workspace').waitFor();
    await expect.poll(() => rows.nth(0).getByRole('button').count()).toBe(0);
    await expectAccessible(page);

    const dialog = page.getByRole('dialog');
    await rows.nth(1).getByRole('button', { name: 'Edit region' }).click();
    await dialog.getByText('Runs receive the value of the variable set “Enforced”').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await dialog.getByLabel('Key').fill('region');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Key has already been taken').waitFor();
    await dialog.getByLabel('Key').fill('password');
    await dialog.getByLabel('Value').fill('s3cret-value');
    await dialog.getByLabel('Sensitive').check();
    await dialog.getByLabel('Description').fill('Of the database');
    await dialog.getByRole('button', { name: 'Show as curl' }).click();
    const command = await page.locator('pre').textContent();
    expect(command).toContain('"value": "<value>"');
    expect(command).not.toContain('s3cret-value');
    await page.getByRole('dialog', { name: 'The same with curl' }).locator(':focus').waitFor();
    await page.getByText('set HOLDFAST_TOKEN to your token first').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /^password Of the database sensitive/ }).waitFor();

    await rows.filter({ hasText: 'overridden' }).getByRole('link', { name: 'Enforced' }).click();
    await page.waitForURL(`**/app/${organization}/variable-sets/${set.id}`);
    await page.getByRole('row', { name: /region us-east-1/ }).waitFor();
    await page.getByText('applies to all workspaces of the organization. It has priority').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add workspace' }).count()).toBe(0);
    await request(`/varsets/${set.id}`, { method: 'DELETE' });
  });

  it('shows what somebody else has changed meanwhile, and saves on top of it', async () => {
    const { id } = await createWorkspace(organization, { name: 'edited' });
    const { page } = await openConsole(`/app/${organization}/workspaces/edited/settings`, {
      expectedComplaints: /412 \(Precondition Failed\)/,
    });
    await page
      .getByLabel('Execution mode')
      .locator('option', { hasText: 'Inherited from the organization (remote)' })
      .waitFor({ state: 'attached' });
    await page.getByLabel('Description').fill('mine');
    const theirs = { data: { type: 'workspaces', attributes: { 'infra-version': '1.9.5' } } };
    await request(`/workspaces/${id}`, { method: 'PATCH', body: theirs });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await expect.poll(() => page.locator('.changes').textContent()).toContain('→ 1.9.5');
    await expect.poll(() => page.getByLabel('Tool version', { exact: true }).inputValue()).toBe('1.9.5');
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('mine');
    // The notice does not touch the field below it.
    const notice = page.locator('.notice', { hasText: 'Somebody else has changed this meanwhile' });
    const [above, below] = [await notice.boundingBox(), await page.getByLabel('Name', { exact: true }).boundingBox()];
    expect((below?.y ?? 0) - ((above?.y ?? 0) + (above?.height ?? 0))).toBeGreaterThanOrEqual(16);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Changed the settings of the workspace /).waitFor();
    const { attributes } = (await request(`/workspaces/${id}`)).data;
    expect(attributes).toMatchObject({ description: 'mine', 'infra-version': '1.9.5' });
  });

  it('connects a repository, and shows invalid settings at their fields', async () => {
    const connection = { name: 'code', 'service-provider': 'github', 'http-url': 'https://github.com' };
    const { relationships } = await create(`/organizations/${organization}/oauth-clients`, 'oauth-clients', connection);
    const { id } = await createWorkspace(organization, { name: 'connected' });
    const { page } = await openConsole(`/app/${organization}/workspaces/connected/settings`, {
      expectedComplaints: /422 \(Unprocessable Entity\)/,
    });
    await page.getByLabel('VCS connection').selectOption('code');
    await page.getByLabel('Repository', { exact: true }).fill('acme');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[name="identifier"][aria-invalid="true"]').waitFor();
    await page.getByText('Repository must be owner/name').waitFor();
    await page.getByLabel('Description').focus();
    await page.getByRole('button', { name: 'Show the error' }).click();
    await page.locator('[name="identifier"]:focus').waitFor();
    await page.getByLabel('Repository', { exact: true }).fill('acme/network');
    await page.getByLabel('Destroy all resources automatically').selectOption('After a time without activity');
    await page.getByLabel('Time without activity').fill('two weeks');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[name="auto-destroy-activity-duration"][aria-invalid="true"]').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Time without activity').fill('14d');
    await page.getByLabel('Patterns of files that start runs').fill('/network/**/*\n*.tf');
    await page.getByLabel('Workspaces whose runs may read the state').selectOption('All workspaces of the project');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Changed the settings of the workspace /).waitFor();
    const { attributes } = (await request(`/workspaces/${id}`)).data;
    expect(attributes).toMatchObject({
      'vcs-repo': { identifier: 'acme/network', 'oauth-token-id': relationships['oauth-tokens'].data[0].id },
      'trigger-patterns': ['/network/**/*', '*.tf'],
      'inherits-project-auto-destroy': false,
      'auto-destroy-activity-duration': '14d',
      'project-remote-state': true,
    });
    await page.getByText('Values of all attributes').click();
    const fact = (text: RegExp) => page.locator('.fact', { hasText: text }).waitFor();
    await fact(/^Repository: Identifier.*acme\/network$/);
    await fact(/^Inactivity before auto-destroy.*14d$/);
    await fact(/^Deletion protection.*off \(inherited from the organization\)$/);
    await page.getByLabel('Patterns of files that start runs').fill('*.hcl');
    await page.getByLabel('Files are chosen by').selectOption('Directories');
    await page.getByLabel('Directories of files that start runs').fill('/network\n'.repeat(101));
    await page.getByLabel('VCS connection').selectOption('None');
    await page.getByRole('button', { name: 'Save' }).click();
    // The field that it is about is not on the page any more.
    const alert = page.getByRole('alert').getByText(/^Trigger prefixes/);
    await alert.waitFor();
    await expect.poll(() => alert.evaluate((shown) => shown.getBoundingClientRect().top)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => alert.count()).toBe(0);
    await expect.poll(() => page.getByLabel('Patterns of files that start runs').inputValue()).toMatch(/\*\.tf$/);
    // Nothing of it has an effect while only the state is stored.
    await page.getByLabel('Execution mode').selectOption('Local: only stores state');
    await expect.poll(() => page.getByLabel('VCS connection').isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('VCS connection').selectOption('None');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await request(`/workspaces/${id}`)).data.attributes['vcs-repo']).toBeNull();
  });

  it('assigns an SSH key and removes it, and disables that for organization tokens', async () => {
    const { id } = await createWorkspace(organization, { name: 'modular' });
    const createKey = (name: string) =>
      create(`/organizations/${organization}/ssh-keys`, 'ssh-keys', { name, value: 'not a real key' });
    const { id: key } = await createKey('deployment');
    const { id: doomed } = await createKey('doomed');
    const path = `/app/${organization}/workspaces/modular/settings`;
    const expectedComplaints = /404 \(Not Found\)/;
    const { page } = await openConsole(path, { viewport: { width: 360, height: 800 }, expectedComplaints });
    const section = page.locator('.section', { has: page.getByRole('heading', { name: 'SSH key', exact: true }) });
    const edit = section.getByRole('button', { name: 'Edit the SSH key' });
    const dialog = page.getByRole('dialog');
    const choice = dialog.getByLabel('Key', { exact: true });
    const save = dialog.getByRole('button', { name: 'Save' });
    const assigned = async () => (await request(`/workspaces/${id}`)).data.relationships['ssh-key'].data?.id;
    await section.getByText('None is assigned.').waitFor();
    await expect.poll(() => edit.getAttribute('aria-disabled')).toBeNull();
    await edit.click();
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true');
    await choice.selectOption('doomed');
    await request(`/ssh-keys/${doomed}`, { method: 'DELETE' });
    await save.click();
    await dialog.getByText('There is no such SSH key.').waitFor();
    await expect.poll(() => choice.locator('option').allTextContents()).toEqual(['None', 'deployment']);
    await choice.selectOption('deployment');
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
    await save.click();
    await section.getByText('deployment', { exact: true }).waitFor();
    await expect.poll(() => assigned()).toBe(key);

    const token = await request(`/organizations/${organization}/authentication-token`, { method: 'POST' });
    const { page: other } = await openConsole(path, { token: token.data.attributes.token, expectedComplaints });
    const description = 'You need a token of a user or a team: organization tokens see no SSH keys.';
    await other.getByRole('button', { name: 'SSH key', description }).waitFor();

    await edit.click();
    await choice.selectOption('None');
    await save.click();
    await section.getByText('None is assigned.').waitFor();
    await expect.poll(() => assigned()).toBeUndefined();
  });

  it('says why it cannot be deleted safely, and requires the name before a force delete', async () => {
    const { id } = await createWorkspace(organization, { name: 'condemned' });
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    const reader = await createWorkspace(organization, { name: 'reader' });
    await request(`/workspaces/${id}/relationships/remote-state-consumers`, {
      method: 'POST',
      body: { data: [{ type: 'workspaces', id: reader.id }] },
    });
    const { page } = await openConsole(`/app/${organization}/workspaces/condemned/settings`, {
      expectedComplaints: /404 \(Not Found\)/,
    });
    await page.getByRole('button', { name: 'Delete safely' }).click();
    await page.getByRole('dialog').getByText('It is locked. Unlock it on its overview.').waitFor();
    await page.getByText('You can restore the workspace for 14 days').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Force delete' }).click();
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Force delete' });
    await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('dialog').getByText('reader. Their runs cannot read it afterwards.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Type condemned to confirm').fill('condemned');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/workspaces$/);
    await page.getByText('Deleted the workspace condemned.').waitFor();
    await page.getByRole('link', { name: 'reader', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'reader', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('option', { name: 'condemned', exact: true }).count()).toBe(0);
    await page.goto(addressOf(`/app/${organization}/workspaces/condemned`));
    await page.getByRole('heading', { name: 'Workspace “condemned” not found' }).waitFor();
    await expect.poll(() => page.getByRole('navigation', { name: 'Workspace' }).count()).toBe(0);
  });

  it('disables what the caller may not do, and says which permission is missing', async () => {
    const { id } = await createWorkspace(organization, { name: 'read-only' });
    const team = await create(`/organizations/${organization}/teams`, 'teams', { name: 'readers' });
    const relationships = {
      team: { data: { type: 'teams', id: team.id } },
      workspace: { data: { type: 'workspaces', id } },
    };
    await create('/team-workspaces', 'team-workspaces', { access: 'read' }, relationships);
    const created = await request(`/teams/${team.id}/authentication-token`, { method: 'POST' });
    const { page } = await openConsole(`/app/${organization}/workspaces/read-only`, {
      token: created.data.attributes.token,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      // The token of a team has no user.
      expectedComplaints: /404 \(Not Found\)/,
    });
    const lock = page.getByRole('button', { name: 'Lock', exact: true });
    const reason = page.getByRole('tooltip', { name: 'You need permission to lock and unlock.' });
    // Playwright waits for elements that are not disabled.
    await lock.tap({ force: true });
    await reason.waitFor();
    await page.getByRole('heading', { name: 'Not locked' }).tap();
    await reason.waitFor({ state: 'hidden' });
    await lock.hover({ force: true });
    await reason.waitFor();
    await reason.hover();
    await expect.poll(() => reason.isVisible()).toBe(true);
    await page.mouse.move(0, 0);
    await reason.waitFor({ state: 'hidden' });
    await lock.focus();
    await reason.waitFor();
    await page.keyboard.press('Escape');
    await reason.waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await reason.waitFor();
    const { x = -1, width = 0 } = (await reason.boundingBox()) ?? {};
    expect(x).toBeGreaterThan(0);
    expect(x + width).toBeLessThan(390);
    await expect.poll(() => lock.getAttribute('aria-disabled')).toBe('true');
    const reasonOf = (name: string, description: string) =>
      page.getByRole('button', { name, disabled: true, description }).waitFor();
    await reasonOf('Edit tags', 'You need permission to manage tags.');
    const edit = page.getByRole('button', { name: 'Edit tags' });
    await edit.focus();
    const tags = page.getByRole('tooltip', { name: 'You need permission to manage tags.' });
    await tags.waitFor();
    // It covers nothing below the heading of the section.
    const [shown, button] = [await tags.boundingBox(), await edit.boundingBox()];
    expect((shown?.y ?? 0) + (shown?.height ?? 0)).toBeLessThan(button?.y ?? 0);
    await expectNoSidewaysScrolling(page);
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Settings' }).click();
    await reasonOf('Save', 'You need admin access.');
    await reasonOf('SSH key', 'You need admin access.');
    await reasonOf('Delete safely', 'You need permission to delete.');
    const save = page.getByRole('button', { name: 'Save' });
    await save.focus();
    // The button is at the left edge: the reason starts with it.
    const admin = page.getByRole('tooltip', { name: 'You need admin access.' }).filter({ visible: true });
    expect((await admin.boundingBox())?.x).toBe((await save.boundingBox())?.x);
    await page.getByText('Values of all attributes').click();
    await page
      .locator('.fact', { hasText: 'Only changes of certain files start a run' })
      .getByText('there is no repository')
      .waitFor();
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    await page.reload();
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Only ada (user) or an admin of the workspace can unlock it.').waitFor();
  });

  it('adds, changes and removes tags, shows where inherited ones come from, and loses no change of others', async () => {
    const project = await create(`/organizations/${organization}/projects`, 'projects', { name: 'tagged' });
    const bind = (path: string, key: string, value: string) =>
      request(path, { method: 'PATCH', body: { data: [{ type: 'tag-bindings', attributes: { key, value } }] } });
    await bind(`/projects/${project.id}/tag-bindings`, 'stage', 'production');
    const placed = { project: { data: { type: 'projects', id: project.id } } };
    const { id } = await createWorkspace(organization, { name: 'tags' }, placed);
    const { page } = await openConsole(`/app/${organization}/workspaces/tags`, {
      viewport: { width: 390, height: 844 },
      expectedComplaints: /412 \(Precondition Failed\)|422 \(Unprocessable Entity\)/,
    });
    await page.getByText('inherited from the project tagged').waitFor();
    await page.getByRole('button', { name: 'Edit tags' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.last().locator('button[type="submit"]');
    const row = (name: RegExp) => dialog.getByRole('row', { name });
    const add = async (key: string, value: string) => {
      await page.getByLabel('Key').fill(key);
      await page.getByLabel('Value').fill(value);
    };
    await add('not a key', '');
    await submit.click();
    await page.locator('[name="key"][aria-invalid="true"]').waitFor();
    await page.getByLabel('Key').fill('team=network');
    await dialog.getByRole('button', { name: 'Show as curl' }).click();
    await page.getByText('"value": "network"').waitFor();
    await page.keyboard.press('Escape');
    await submit.click();
    // Cards are a table for screen readers.
    await row(/^team network this workspace Edit team Remove team$/).waitFor();
    const cell = dialog.getByRole('table').getByRole('cell', { name: 'network', exact: true });
    await expect.poll(() => cell.isVisible()).toBe(true);
    await expect
      .poll(() => dialog.getByRole('columnheader').allTextContents())
      .toEqual(['Key', 'Value', 'Origin', 'Actions']);
    await expect.poll(() => dialog.getByRole('button', { name: 'Remove stage' }).count()).toBe(0);
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
    await add('team', 'network');
    await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Key').fill('core');
    await page.getByLabel('Value').fill('');
    await submit.click();
    await row(/^core.*this workspace/).waitFor();
    await dialog.getByRole('button', { name: 'Override stage' }).click();
    await page.getByLabel('Value').fill('test');
    await submit.click();
    await row(/^stage.*test.*this workspace/).waitFor();

    await dialog.getByRole('button', { name: 'Remove stage' }).click();
    await bind(`/workspaces/${id}/tag-bindings`, 'owner', 'ada');
    await submit.click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await submit.click();
    await row(/^stage.*production.*inherited from the project tagged/).waitFor();
    await dialog.getByRole('button', { name: 'Remove core' }).click();
    await submit.click();
    // An open dialog hides the rows behind it from roles.
    await row(/^team/).waitFor();
    await row(/^core/).waitFor({ state: 'detached' });
    const { data } = await request(`/workspaces/${id}/tag-bindings`);
    expect(data.map(({ attributes: { key, value } }: Tag) => `${key}=${value}`)).toEqual(['team=network', 'owner=ada']);
  });

  it('shows a hostile README as text', async () => {
    await createWorkspace(organization, { name: 'readme' });
    const { page } = await openConsole('/app/sign-in');
    let markdown = [
      '# Welcome <img src=x onerror="globalThis.attacked = true">',
      '<script>globalThis.attacked = true</script>',
      '[harmless](javascript:globalThis.attacked=true) [site](https://example.com/) ![logo](https://example.com/logo.png)',
      '- item\n- \u202egnp.exe\n\n| a | b |\n|---|---|\n| <b>1</b> | `2` |',
      'x'.repeat(90_000),
    ].join('\n\n');
    await page.route('**/workspaces/readme?*', async (route) => {
      const document = await (await route.fetch()).json();
      const readme = { type: 'workspace-readme', id: 'cv-1', attributes: { 'raw-markdown': markdown } };
      await route.fulfill({ json: { ...document, included: [...document.included, readme] } });
    });
    await page.goto(addressOf(`/app/${organization}/workspaces/readme`));
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await expect.poll(() => page.locator('.markdown :is(script, img, b)').count()).toBe(0);
    expect(
      await page.locator('.markdown a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://example.com/', 'https://example.com/logo.png']);
    await expect.poll(() => page.locator('.markdown .invisible-character').allTextContents()).toEqual(['U+202E']);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'attacked'))).toBeUndefined();
    await expectNoSidewaysScrolling(page);
    // Parsing these would take minutes, or exceed the stack.
    for (const [hostile, shown] of [
      ['>'.repeat(5_000), 'pre.markdown'],
      [`${'- '.repeat(5_000)}item`, 'pre.markdown'],
      ['_a__b'.repeat(15_000), '.markdown p'],
    ] as const) {
      markdown = hostile;
      await page.reload();
      await expect.poll(() => page.locator(shown).textContent()).toBe(hostile);
    }
  });

  it('continues by itself after the service was away', async () => {
    const other = await createOrganization();
    await createWorkspace(other, { name: 'offline' });
    const { page } = await openConsole(`/app/${other}/workspaces/offline/variables`, {
      expectedComplaints: /ERR_FAILED|ERR_INTERNET_DISCONNECTED/,
    });
    await page.getByText('There are no variables yet').waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByRole('dialog').getByLabel('Key').fill('region');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('The service does not respond').first().waitFor();
    await expect.poll(() => page.getByRole('dialog').getByLabel('Key').inputValue()).toBe('region');
    await page.unroute('**/api/**');
    await page.getByText('Added the variable region.').waitFor();
    await expect.poll(() => page.getByText('The service does not respond').count()).toBe(0);
  });
});
