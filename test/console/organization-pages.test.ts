import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { historyActions } from '../../shared/domain/history/history-actions.ts';
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

/**
 * Puts empty pages in front of a list that a cursor pages.
 * @param pattern of its requests.
 * @param beforeLast awaited before the response with the last empty page.
 * @returns cursors of the requests so far, null for the first page.
 */
const startWithEmptyPages = async (
  page: Page,
  pattern: RegExp,
  count: number,
  beforeLast: () => Promise<void> = async () => {},
) => {
  const cursors: (string | null)[] = [];
  await page.route(pattern, async (route) => {
    const url = new URL(route.request().url());
    const cursor = url.searchParams.get('page[after]');
    cursors.push(cursor);
    const index = Number(cursor ?? 0);
    if (index === count) {
      url.searchParams.delete('page[after]');
      return route.continue({ url: url.href });
    }
    if (index === count - 1) await beforeLast();
    const links = { next: `${url.pathname}?page%5Bafter%5D=${index + 1}` };
    // The page may have cancelled the request.
    await route.fulfill({ json: { data: [], links }, contentType: 'application/vnd.api+json' }).catch(() => undefined);
  });
  return cursors;
};

describeConsole('the pages of an organization', () => {
  let organization: string;
  const open = (page: string) => openConsole(`/app/${organization}/${page}`);

  beforeAll(async () => {
    organization = await createOrganization();
    await create(`/organizations/${organization}/teams`, 'teams', { name: 'platform' });
  });

  it('create an organization, which its creator owns, and say when its name is taken', async () => {
    const { page } = await openConsole('/app?all=true', { expectedComplaints: /422 \(Unprocessable Entity\)/ });
    await page.getByRole('button', { name: 'New organization' }).click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    await name.fill('acme corp');
    await name.press('Tab');
    await page.locator('.field-error').getByText('A name contains only letters, numbers, - and _.').waitFor();
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
    await name.fill(organization);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.locator('.field-error').getByText('has already been taken').waitFor();
    await name.fill(`${organization}-new`);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(new RegExp(`/${organization}-new/workspaces$`));
    await page.getByText(`Created the organization ${organization}-new.`).waitFor();
    const { data } = await request(`/organizations/${organization}-new`);
    expect(data.attributes).toMatchObject({ email: 'ada@example.com', permissions: { 'can-destroy': true } });
  });

  it('give a team read access to one project, change it and remove it', async () => {
    const { page } = await open('projects');
    await page.getByRole('link', { name: 'Default Project' }).click();
    await page.getByRole('button', { name: 'Add team' }).click();
    await page.getByLabel('Team', { exact: true }).fill('platform');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /platform Read: see everything, change nothing/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Edit platform' }).click();
    await page.getByLabel('Access', { exact: true }).selectOption('maintain');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /platform Maintain: create/ }).waitFor();
    // Custom access begins with the parts of the level before.
    await page.getByRole('button', { name: 'Edit platform' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Access', { exact: true }).selectOption('custom');
    await expect.poll(() => dialog.getByLabel('Runs').inputValue()).toBe('apply');
    await dialog.getByLabel('Runs').selectOption('plan');
    await dialog.getByLabel('Team access').selectOption('read');
    await dialog.getByLabel('Move between projects').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /platform Custom: .*Team access: read;.*Runs: read and plan;/ }).waitFor();
    const granted = await request(`/team-projects?filter[project][id]=${/prj-\w+/.exec(page.url())?.[0]}`);
    expect(granted.data[0].attributes).toMatchObject({
      access: 'custom',
      'project-access': { teams: 'read' },
      'workspace-access': { runs: 'plan', move: true, create: true, variables: 'write' },
    });
    const teams = await open('teams');
    await teams.page.getByRole('link', { name: 'platform' }).click();
    await teams.page.getByRole('row', { name: /Default Project Custom: .*Runs: read and plan;/ }).waitFor();
    await teams.page.getByRole('button', { name: 'Edit Default Project' }).click();
    await teams.page.getByRole('dialog', { name: 'Edit the access of “platform”' }).waitFor();
    await teams.page.getByLabel('Access', { exact: true }).selectOption('maintain');
    await teams.page.getByRole('button', { name: 'Save' }).click();
    await teams.page.getByRole('row', { name: /Default Project Maintain: create/ }).waitFor();
    await expectAccessible(teams.page);
    await teams.page.getByRole('link', { name: 'Teams' }).first().click();
    await teams.page.getByRole('link', { name: 'owners' }).click();
    await teams.page.getByText('No access to projects yet').waitFor();
    await teams.page.getByText(/by a right in the organization: Admin: everything/).waitFor();
    await page.getByRole('button', { name: 'Remove platform' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await page.getByText('No team was given access to this project').waitFor();
    const inherited = page.getByRole('region', { name: 'Access through the organization' });
    await inherited.getByRole('row', { name: /owners Admin: everything organization: owners/ }).waitFor();
    // An owner sees all teams.
    await expect.poll(() => inherited.getByText('may not see').count()).toBe(0);
  });

  it('add a member to a team, list it and remove it', async () => {
    const { page } = await open('teams');
    await page.getByRole('link', { name: 'platform' }).click();
    await page.getByText('The team has no members').waitFor();
    await page.getByRole('button', { name: 'Add member' }).click();
    const field = page.getByLabel('Member of the organization');
    await field.fill('ad');
    await page.locator('datalist option[value="ada"]').waitFor({ state: 'attached' });
    // The member that was found before can be added while the whole name is searched for.
    await page.route('**/organization-memberships?q=ada*', () => undefined);
    const isSearching = page.waitForRequest('**/organization-memberships?q=ada*');
    await field.fill('ada');
    await isSearching;
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove ada' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await page.getByText('The team has no members').waitFor();
  });

  it('limit the lifetime of new tokens, change one limit, and lift the limits', async () => {
    // An organization without tokens of its own is 404 at their addresses.
    const { page } = await openConsole(`/app/${organization}/api-tokens`, { expectedComplaints: /status of 404/ });
    const section = page.locator('section.section').filter({ hasText: 'Lifetime of tokens' });
    await section.getByText('New tokens may be valid for any time.').waitFor();
    await expect.poll(() => section.getByRole('button', { name: 'Lift the limits' }).count()).toBe(0);
    await section.getByRole('button', { name: 'Edit the limits' }).click();
    await page.getByLabel('Team tokens', { exact: true }).selectOption('8 hours');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    const limitOf = (type: string) => section.locator('.fact').filter({ hasText: type }).locator('dd').textContent();
    await section.getByText('8 hours').waitFor();
    await expect.poll(() => limitOf('Team tokens')).toBe('8 hours');
    const others = await limitOf('User tokens');
    await expectAccessible(page);
    await section.getByRole('button', { name: 'Edit the limits' }).click();
    // Without a change, there is nothing to save.
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
    const sent = page.waitForRequest((one) => one.method() === 'PATCH');
    await page.getByLabel('Team tokens', { exact: true }).selectOption('1 hour');
    await page.getByRole('button', { name: 'Save' }).click();
    // Only the limit that was changed, so that those of others remain.
    expect((await sent).postDataJSON().data.attributes['token-ttl-policies']).toEqual([
      { 'token-type': 'team', 'max-ttl-ms': 3_600_000 },
    ]);
    await section.getByText('1 hour').waitFor();
    await expect.poll(() => limitOf('User tokens')).toBe(others);
    await section.getByRole('button', { name: 'Lift the limits' }).click();
    await page.getByRole('button', { name: 'Lift', exact: true }).click();
    await section.getByText('New tokens may be valid for any time.').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(page);
  });

  it('do not let the only owner be removed, and say why', async () => {
    const { page } = await open('members');
    await page.getByRole('link', { name: 'ada' }).click();
    const description = 'An organization needs an owner. Add another user to the owners team first.';
    await page.getByRole('button', { name: 'Remove', exact: true, description }).waitFor();
    await page.getByRole('button', { name: 'Remove owners', description }).waitFor();
    await page.getByRole('table', { name: 'Teams' }).getByRole('link', { name: 'owners' }).click();
    for (const name of ['Delete', 'Edit']) {
      const always = /^The owners team always has all rights\./;
      await page.getByRole('button', { name, exact: true, description: always }).waitFor();
    }
    await expect.poll(() => page.getByRole('button', { name: 'Remove ada', description }).count()).toBe(1);
  });

  it('show in the menu of a row why an action cannot be chosen', async () => {
    const list = `/organizations/${organization}`;
    const { id } = await create(`${list}/teams`, 'teams', { name: 'builders' });
    const attributes = {
      name: 'deploy',
      issuer: 'https://gitlab.com',
      conditions: [{ claim: '/project_id', equals: ['1'] }],
    };
    await create(`${list}/workload-identities`, 'workload-identities', attributes, { team: { data: { id } } });
    const { page } = await openConsole('/.well-known/terraform.json');
    // The permission can end while the list is open.
    await page.route(`**/api/v2${list}`, async (route) => {
      const response = await route.fetch();
      const document = await response.json();
      document.data.attributes.permissions['can-create-team'] = false;
      await route.fulfill({ response, json: document });
    });
    await page.goto(addressOf(`/app/${organization}/workload-identities`));
    const description = 'You need permission to manage teams.';
    await page.getByRole('button', { name: 'New workload identity', description }).waitFor();
    await page.getByRole('button', { name: 'Actions on deploy' }).click();
    const entry = page.getByRole('menuitem', { name: /^Edit/ });
    await expect.poll(() => entry.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => entry.textContent()).toContain(description);
    // An entry that cannot be chosen leaves the menu open.
    await entry.click({ force: true });
    await expect.poll(() => entry.isVisible()).toBe(true);
  });

  it('break no word in the list of locks while there is room for it', async () => {
    const name = 'Telecommunications and billing';
    const project = await create(`/organizations/${organization}/projects`, 'projects', { name });
    const team = await create(`/organizations/${organization}/teams`, 'teams', {
      name: 'telecommunications',
      'organization-access': { 'manage-workspaces': true },
    });
    const { data } = await request(`/teams/${team.id}/authentication-token`, { method: 'POST' });
    const { id } = await createWorkspace(
      organization,
      { name: 'observability' },
      { project: { data: { type: 'projects', id: project.id } } },
    );
    await request(`/workspaces/${id}/actions/lock`, {
      body: { reason: 'Infrastructure maintenance: reorganizing the telecommunications', 'lease-seconds': 3600 },
      token: data.attributes.token,
    });
    const { page } = await openConsole(`/app/${organization}/locks`, { viewport: { width: 1280, height: 800 } });
    const row = page.getByRole('row', { name: /observability/ });
    await row.waitFor();
    const broken = await row.evaluate((element) => {
      const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      while (nodes.nextNode()) {
        const text = nodes.currentNode.textContent ?? '';
        for (const { 0: word, index } of text.matchAll(/[\w:]+/g)) {
          const range = document.createRange();
          range.setStart(nodes.currentNode, index);
          range.setEnd(nodes.currentNode, index + word.length);
          if (range.getClientRects().length > 1) found.push(word);
        }
      }
      return found;
    });
    expect(broken).toEqual([]);
    const table = page.getByRole('region', { name: 'Locks' });
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('create a project, report a name that is taken at its field, and show which defaults it inherits', async () => {
    const { page } = await openConsole(`/app/${organization}/projects`, { expectedComplaints: /status of 422/ });
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('Default Project');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('input[aria-invalid="true"][name="name"]').waitFor();
    await page.getByLabel('Name').fill('payments');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const chosen = page.getByRole('dialog').locator('option:checked');
    await expect
      .poll(() => chosen.allTextContents())
      .toEqual(['Inherited from the organization (remote)', 'Inherited from the organization (off)']);
  });

  it('add, change and remove tags of a project without losing a change of others, and show them to readers', async () => {
    const { id } = await create(`/organizations/${organization}/projects`, 'projects', { name: 'tagged' });
    const { page } = await openConsole(`/app/${organization}/projects/${id}`, {
      viewport: { width: 390, height: 844 },
      expectedComplaints: /412 \(Precondition Failed\)|422 \(Unprocessable Entity\)/,
    });
    await page.getByRole('button', { name: 'Edit tags' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.last().locator('button[type="submit"]');
    const row = (name: RegExp) => dialog.getByRole('row', { name });
    await dialog.getByText('The project has no tags').waitFor();
    await dialog.getByText('All workspaces of the project inherit its tags').waitFor();
    await page.getByLabel('Key').fill('not a key');
    await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Value').fill('test');
    await submit.click();
    await page.locator('[name="key"][aria-invalid="true"]').waitFor();
    await page.getByLabel('Key').fill('stage');
    await submit.click();
    await row(/^stage test /).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
    await dialog.getByRole('button', { name: 'Edit stage' }).click();
    await page.getByLabel('Value').fill('production');
    await submit.click();
    await row(/^stage production /).waitFor();

    await dialog.getByRole('button', { name: 'Remove stage' }).click();
    const body = { data: [{ type: 'tag-bindings', attributes: { key: 'owner', value: 'ada' } }] };
    await request(`/projects/${id}/tag-bindings`, { method: 'PATCH', body });
    await submit.click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await submit.click();
    // An open dialog hides the rows behind it from roles.
    await row(/^owner ada /).waitFor();
    await row(/^stage/).waitFor({ state: 'detached' });
    expect((await request(`/projects/${id}/tag-bindings`)).data).toHaveLength(1);

    const team = await create(`/organizations/${organization}/teams`, 'teams', { name: 'project-readers' });
    await create(
      '/team-projects',
      'team-projects',
      { access: 'read' },
      { project: { data: { type: 'projects', id } }, team: { data: { type: 'teams', id: team.id } } },
    );
    const { data } = await request(`/teams/${team.id}/authentication-token`, { method: 'POST' });
    const { page: reader } = await openConsole(`/app/${organization}/projects/${id}`, {
      token: data.attributes.token,
      // The token of a team has no user.
      expectedComplaints: /404 \(Not Found\)/,
    });
    await reader.getByText('owner=ada').waitFor();
    // Readers of a project see the access of their own teams, and do not change it.
    await reader.getByRole('row', { name: /^project-readers Read: / }).waitFor();
    const description = /^You need /;
    for (const name of ['Edit', 'Edit tags', 'Delete', 'Add team', 'Edit project-readers', 'Remove project-readers']) {
      await reader.getByRole('button', { name, exact: true, disabled: true, description }).waitFor();
    }
  });

  it('restore a deleted workspace, under another name if its name is taken', async () => {
    const { id } = await createWorkspace(organization, { name: 'billing' });
    await request(`/workspaces/${id}`, { method: 'DELETE' });
    await createWorkspace(organization, { name: 'billing' });
    const { page } = await openConsole(`/app/${organization}/deleted-workspaces`, {
      expectedComplaints: /status of 422/,
    });
    await page.getByRole('button', { name: 'Restore billing' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.locator('input[aria-invalid="true"][name="name"]').waitFor();
    await page.getByLabel('Name').fill('billing-restored');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.waitForURL(`**/app/${organization}/workspaces/billing-restored`);
    const { data } = await request(`/organizations/${organization}/workspaces/billing-restored`);
    expect(data.id).toBe(id);
  });

  it('show who deleted a workspace, and delete it permanently only after its name was typed', async () => {
    const { id } = await createWorkspace(organization, { name: 'obsolete' });
    await request(`/workspaces/${id}`, { method: 'DELETE' });
    const { page } = await open('deleted-workspaces');
    await page.getByRole('row', { name: /^obsolete .* ada / }).waitFor();
    await page.getByRole('button', { name: 'Delete permanently obsolete' }).click();
    const dialog = page.getByRole('dialog');
    const button = dialog.getByRole('button', { name: 'Delete permanently' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('textbox').fill('obsolete');
    await button.click();
    await page.getByText('Deleted the workspace obsolete permanently.').waitFor();
  });

  it('add and change variables of a variable set, without showing a sensitive value, and lead to its changes', async () => {
    const common = { name: 'common', description: 'Settings of all accounts' };
    const { id } = await create(`/organizations/${organization}/varsets`, 'varsets', common);
    const region = { key: 'REGION', value: 'eu-west-1', category: 'env', description: 'Where we deploy' };
    await create(`/varsets/${id}/relationships/vars`, 'vars', region);
    const { page } = await open('variable-sets');
    await page.getByRole('row', { name: /common.*Settings of all accounts/ }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'common' }).click();
    await page.getByRole('row', { name: /REGION.*Where we deploy/ }).waitFor();
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Key').fill('API_TOKEN');
    await page.getByText('The key looks like that of a secret').waitFor();
    await page.getByLabel('Value', { exact: true }).fill('top-secret');
    await page.getByLabel('Sensitive').check();
    await page.locator('.input-hidden').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /API_TOKEN sensitive/ }).waitFor();
    expect(await page.content()).not.toContain('top-secret');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Edit REGION' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit “REGION”' });
    await edit.getByText('applies to no workspace yet. A variable of a workspace overrides').waitFor();
    await page.getByLabel('Value', { exact: true }).fill('eu-north-1');
    const [update] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === 'PATCH'),
      page.getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(update.headers()).toHaveProperty('if-match');
    await page.getByText('Changed the variable REGION in the variable set common.').waitFor();
    await page.getByRole('row', { name: /REGION .*eu-north-1/ }).waitFor();
    // A variable of the other category can have the same key.
    await page.getByRole('button', { name: 'Delete REGION (environment)' }).click();
    await page.getByRole('dialog', { name: 'Delete the environment variable “REGION”' }).waitFor();
    await page.keyboard.press('Escape');

    const trail = `/organizations/${organization}/audit-trail?filter[action]=variable-set.variable-updated`;
    await expect.poll(async () => JSON.stringify((await request(trail)).data)).toContain(id);
    await page.getByRole('link', { name: 'Show changes' }).click();
    await page.waitForURL(new RegExp(`/audit-trail\\?text=${id}&action=variable-set\\.`));
    await page.locator('.timeline').getByText('Variable set variable updated').waitFor();
    await page.locator('.timeline').getByRole('link', { name: 'common' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'common' }).waitFor();

    await page.goto(addressOf(`/app/${organization}/variables?key=api_t`));
    const use = page.getByRole('row', { name: /API_TOKEN.*common.*terraform/ });
    await use.waitFor();
    await expectAccessible(page);
    await page.getByLabel('Beginning of the key').fill('API_TOKENS');
    await page.getByText('No key begins with “API_TOKENS”').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await use.getByRole('link', { name: 'common' }).click();
    await page.getByRole('heading', { level: 1, name: 'common' }).waitFor();
  });

  it('show a new token once, with its team and the end of its lifetime', async () => {
    const { page } = await openConsole(`/app/${organization}/api-tokens`, { expectedComplaints: /status of 404/ });
    await page.getByRole('button', { name: 'New team token' }).click();
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true });
    await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Team', { exact: true }).selectOption({ label: 'platform' });
    await page.getByLabel('Description').fill('pipeline');
    await submit.click();
    await page.getByText('It is shown only now.').waitFor();
    await page.getByText(/^export TF_TOKEN_holdfast_local=hft_\w+$/).waitFor();
    const expiry = page.getByRole('dialog', { name: 'New token of “platform”' }).locator('time');
    const days = (Date.parse((await expiry.getAttribute('datetime')) ?? '') - Date.now()) / 86_400_000;
    expect(Math.ceil(days)).toBe(90);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /platform pipeline/ }).waitFor();
    await expectAccessible(page);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/teams?q=*', async (route) => {
      await answered;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('rowheader').first().waitFor();
    await expect.poll(() => page.getByText(/team-\w{8}/).count()).toBe(0);
    await expect
      .poll(() => page.getByRole('button', { name: 'New team token' }).getAttribute('aria-disabled'))
      .toBeNull();
    answer();
    await page.getByRole('row', { name: /platform pipeline/ }).waitFor();
    for (const [opener, verb] of [
      ['New audit trail token', 'Create'],
      ['Replace the audit trail token', 'Replace'],
    ] as const) {
      await page.getByRole('button', { name: opener }).click();
      await page.getByRole('dialog', { name: opener }).getByRole('button', { name: verb, exact: true }).click();
      await page.getByRole('dialog', { name: 'New audit trail token' }).getByRole('button', { name: 'Done' }).click();
    }
    await page.getByRole('main').getByRole('link', { name: 'Your tokens' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your tokens' }).waitFor();
    const account = page.getByRole('navigation', { name: 'Account' });
    await account.getByRole('link', { name: 'Command line' }).click();
    await page.getByRole('heading', { level: 1, name: 'Command line' }).waitFor();
    // Pages of the user keep the organization.
    await page.getByRole('button', { name: `Organization ${organization}, switch` }).waitFor();
    await account.getByRole('link', { name: `Back to ${organization}` }).click();
    await page.waitForURL(new RegExp(`/app/${organization}$`));
  });

  it('change an agent pool, and rename an SSH key', async () => {
    await create(`/organizations/${organization}/agent-pools`, 'agent-pools', { name: 'site' });
    await create(`/organizations/${organization}/ssh-keys`, 'ssh-keys', { name: 'modules', value: 'secret' });
    const { page } = await open('agent-pools');
    await page.getByRole('button', { name: 'Edit site' }).click();
    const save = page.getByRole('button', { name: 'Save' });
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('All workspaces may use it').uncheck();
    await save.click();
    await page.getByRole('row', { name: /site nothing yet/ }).waitFor();
    await page.getByRole('link', { name: 'SSH keys' }).click();
    await page.getByRole('button', { name: 'Rename modules' }).click();
    await page.getByLabel('Name', { exact: true }).fill('private-modules');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('rowheader', { name: 'private-modules' }).waitFor();
  });

  it('change a setting, and show the change in the audit trail', async () => {
    const { page } = await open('settings');
    await page.getByLabel('Default deletion protection').check();
    await page.getByLabel('Parameters and secrets that variables may name').fill('ssm:/billing/');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Changed the settings of /).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    // The trail is written from the stream of the table, shortly after a change.
    await expect
      .poll(async () => {
        await page.reload();
        await page.locator('.timeline-entry').first().waitFor();
        return page.locator('.timeline').textContent();
      })
      .toContain('Default deletion protection');
    await page.locator('.timeline').getByRole('link', { name: organization }).first().waitFor();
    const options = page.getByLabel('Action').locator('option');
    const values = await options.evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value));
    expect(values.toSorted()).toEqual(['', ...historyActions].toSorted());
    await expectAccessible(page);
  });

  it('lead from the filtered audit trail to workspaces under their present names, and to the deleted ones', async () => {
    const renamed = await createWorkspace(organization, { name: 'before' });
    const removed = await createWorkspace(organization, { name: 'removed', 'deletion-protection': false });
    const attributes = { name: 'after' };
    await request(`/workspaces/${renamed.id}`, {
      method: 'PATCH',
      body: { data: { type: 'workspaces', attributes } },
    });
    await request(`/workspaces/${removed.id}`, { method: 'DELETE' });
    const { page } = await openConsole(`/app/${organization}/audit-trail?action=workspace.created`, {
      expectedComplaints: /404 \(Not Found\)/,
    });
    const follow = async (name: string) => {
      const link = page.locator('.timeline').getByRole('link', { name, exact: true });
      // The trail is written from the stream of the table, shortly after a change.
      await expect
        .poll(async () => {
          await page.reload();
          await page.locator('.timeline').waitFor();
          return link.count();
        })
        .toBe(1);
      await link.click();
    };
    await follow('before');
    await page.getByRole('heading', { level: 1, name: 'after' }).waitFor();
    await page.goBack();
    await follow('removed');
    await page.getByRole('heading', { level: 1, name: 'Deleted workspaces' }).waitFor();
    await page.getByRole('rowheader', { name: 'removed' }).waitFor();
    await page.goto(addressOf(`/app/${organization}/workspace-ids/ws-0000000000000000`));
    await page.getByRole('heading', { name: 'Workspace “ws-0000000000000000” not found' }).waitFor();
  });

  it('show the changes of one request together below their day, and find a change by a text', async () => {
    const name = 'one-of-many';
    await create(`/organizations/${organization}/teams`, 'teams', { name });
    await create(`/organizations/${organization}/reserved-tag-keys`, 'reserved-tag-keys', { key: 'cost-center' });
    await create(`/organizations/${organization}/teams`, 'teams', { name: `${name}-others` });
    const trail = `/organizations/${organization}/audit-trail?filter[action]=team.created`;
    await expect.poll(async () => JSON.stringify((await request(trail)).data)).toContain(`"${name}-others"`);
    const { page } = await openConsole('/.well-known/terraform.json');
    await page.route(/\/api\/.*\/audit-trail\?/, async (route) => {
      const response = await route.fetch();
      const document = await response.json();
      for (const { attributes } of document.data.slice(0, 2)) attributes['request-id'] = 'req-shared';
      await route.fulfill({ response, json: document });
    });
    await page.goto(addressOf(`/app/${organization}/audit-trail?action=team.created`));
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    const group = page.getByRole('button', { name: /^Details: 2 changes of one request/ });
    await page.getByText('Team created (2)').waitFor();
    const link = page.locator('.timeline').getByRole('link', { name, exact: true });
    await expect.poll(() => link.count()).toBe(0);
    await group.click();
    await link.waitFor();
    await expectAccessible(page);

    // Each choice is in the address.
    const since = page.getByLabel(/^Since/);
    await page.getByLabel('Period').selectOption('Custom…');
    await since.waitFor();
    await page.getByLabel('Period').selectOption('Last 7 days');
    await page.waitForURL(/since=/);
    await expect.poll(() => since.count()).toBe(0);
    await page.getByLabel('Search', { exact: true }).fill(`${name}-OTHERS`);
    await page.waitForURL(/text=/);
    await expect.poll(() => page.locator('.timeline-entry').count()).toBe(1);
    await page
      .locator('.timeline')
      .getByRole('link', { name: `${name}-others` })
      .waitFor();
    await page.getByLabel('Show details').check();
    await page.getByText('Change number').waitFor();
    await page.reload();
    await page.getByText('Change number').waitFor();
    await page.getByRole('button', { name: 'Rejected' }).click();
    await page.getByText('No change matches').waitFor();

    // The part of the organization that has changed is named, and not the organization.
    await page.goto(addressOf(`/app/${organization}/audit-trail?action=organization.reserved-tag-key-created`));
    await page.getByText('Organization reserved tag key created cost-center by ada').waitFor();
  });

  it('save all pages of a list as CSV and as JSON', async () => {
    const large = await createOrganization();
    const names = Array.from({ length: 101 }, (_, index) => `project-${index}`);
    for (const name of names) await create(`/organizations/${large}/projects`, 'projects', { name });
    const { page } = await openConsole(`/app/${large}/projects`);
    const save = async (format: string) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Options of the list Projects' }).click();
      await page.getByRole('menuitem', { name: `Download ${format}` }).click();
      const file = await download;
      return { name: file.suggestedFilename(), text: await text(await file.createReadStream()) };
    };
    const csv = await save('CSV');
    expect(csv.name).toBe('projects.csv');
    const [heading = '', ...rows] = csv.text.trimEnd().split('\r\n');
    // Nobody reads permissions in a table.
    expect(heading).not.toContain('Permissions');
    const position = heading.split(',').indexOf('Name');
    expect(rows.map((row) => row.split(',')[position])).toEqual(expect.arrayContaining(names));
    const json = await save('JSON');
    expect(json.name).toBe('projects.json');
    expect(JSON.parse(json.text)).toHaveLength(rows.length);
  });

  it('fill a filtered audit trail whose first pages are empty with older changes', async () => {
    const { page } = await openConsole('/.well-known/terraform.json');
    const cursors = await startWithEmptyPages(page, /\/api\/.*\/audit-trail\?/, 4);
    await page.goto(addressOf(`/app/${organization}/audit-trail?action=organization.created`));
    await page.locator('.timeline').getByText(organization).first().waitFor();
    expect(cursors).toEqual([null, '1', '2', '3', '4']);
    await expect.poll(() => page.getByRole('button', { name: 'Show older changes' }).count()).toBe(0);
  });

  it('search ten pages of an audit trail by themselves, ten more on demand, and start anew with another filter', async () => {
    const { page } = await openConsole('/.well-known/terraform.json');
    const cursors = await startWithEmptyPages(page, /\/api\/.*\/audit-trail\?/, 25);
    await page.goto(addressOf(`/app/${organization}/audit-trail?action=organization.created`));
    const stopped = page.getByText('Nothing found so far.', { exact: true });
    await stopped.waitFor();
    expect(cursors).toHaveLength(10);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show older changes' }).click();
    await expect.poll(() => cursors.length).toBe(20);
    await stopped.waitFor();
    await page.getByLabel('Action').selectOption('workspace.created');
    await expect.poll(() => cursors.length).toBe(30);
    await stopped.waitFor();
    expect(cursors).toHaveLength(30);
    expect(cursors.filter((cursor) => cursor === null)).toHaveLength(2);
  });

  it('stop searching an audit trail when the user leaves it', async () => {
    const { page } = await openConsole('/.well-known/terraform.json');
    const cancelled = page.waitForEvent('requestfailed', (sent) => sent.url().includes('/audit-trail?'));
    const cursors = await startWithEmptyPages(page, /\/api\/.*\/audit-trail\?/, 3, async () => {
      await cancelled;
    });
    await page.goto(addressOf(`/app/${organization}/audit-trail?action=organization.created`));
    await expect.poll(() => cursors.length).toBe(3);
    await page.getByText('The search goes on.').waitFor();
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await cancelled;
    await page.getByRole('link', { name: 'Default Project' }).waitFor();
    expect(cursors).toHaveLength(3);
  });

  it('fill the workspaces of a bulk job whose first pages are empty', async () => {
    const { id: workspace } = await createWorkspace(organization, { name: 'of-a-job' });
    const { id } = await create(`/organizations/${organization}/bulk-jobs`, 'bulk-jobs', {
      action: 'add-tags',
      parameters: { tags: ['filled'] },
      selection: { ids: [workspace] },
    });
    const { page } = await openConsole('/.well-known/terraform.json');
    const cursors = await startWithEmptyPages(page, /\/bulk-jobs\/[^/]+\/items\?/, 3);
    await page.goto(addressOf(`/app/${organization}/bulk-jobs/${id}`));
    await page.getByRole('row', { name: /of-a-job/ }).waitFor();
    expect(cursors.slice(0, 3)).toEqual([null, '1', '2']);
  });

  it('fit into 360 pixels and are accessible', async () => {
    const { page } = await openConsole(`/app/${organization}`, { viewport: { width: 360, height: 800 } });
    for (const name of [
      'deleted-workspaces',
      'projects',
      'variable-sets',
      'teams',
      'members',
      'agent-pools',
      'ssh-keys',
      'vcs-connections',
      'reserved-tags',
      'audit-trail',
      'settings',
    ]) {
      await page.goto(addressOf(`/app/${organization}/${name}`));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await expectNoSidewaysScrolling(page);
      await expectAccessible(page);
    }
  });
});
