import { createHash } from 'node:crypto';
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
  report,
  request,
  takeScreenshots,
} from '../support/console/console.ts';

/** A text that would run as a script if a page inserted it as HTML, with a change of the writing direction. */
const HOSTILE = '<img src=x onerror="globalThis.hostile=1"><script>globalThis.hostile=1</script>\u202Etxt.exe';

interface Run {
  readonly attributes: { readonly status: string };
}

const stateOf = (serial: number): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'lineage',
    outputs: { note: { value: HOSTILE, type: 'string' } },
    resources: [
      {
        mode: 'managed',
        type: 'aws_vpc',
        name: HOSTILE,
        provider: 'provider["registry.terraform.io/hashicorp/aws"]',
        instances: [
          {
            attributes: {
              cidr: `10.${serial}.0.0/16`,
              tags: { owner: 'ada', serial: `s${serial}` },
              password: `secret-${serial}`,
              text: 'x'.repeat(1_000_000),
            },
            sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]],
          },
        ],
      },
    ],
  });

/** Uploads a state. @returns the time of its creation. */
const uploadState = async (workspace: string, serial: number, content = stateOf(serial)): Promise<number> => {
  const { attributes } = await create(`/workspaces/${workspace}/state-versions`, 'state-versions', {
    serial,
    lineage: 'lineage',
    md5: createHash('md5').update(content).digest('hex'),
    state: Buffer.from(content).toString('base64'),
  });
  return Date.parse(attributes['created-at']);
};

/** Opens the menu of a state version, and chooses an action. */
const act = async (page: Page, serial: number, action: string): Promise<void> => {
  await page.getByRole('button', { name: `More actions on version ${serial}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
};

describeConsole('the pages of a workspace', () => {
  let organization: string;
  let workspace: string;
  let uploadedAt: number;
  const open = (page: string, width = 1280) =>
    openConsole(`/app/${organization}/workspaces/network/${page}`, { viewport: { width, height: 800 } });

  beforeAll(async () => {
    organization = await createOrganization();
    const { id } = await createWorkspace(organization, { name: 'network', description: HOSTILE });
    workspace = id;
    const database = await createWorkspace(organization, { name: 'database' });
    await request(`/workspaces/${id}/relationships/remote-state-consumers`, {
      body: { data: [{ type: 'workspaces', id: database.id }] },
    });
    await request(`/workspaces/${id}/actions/lock`, { body: { reason: 'maintenance' } });
    await uploadState(id, 1);
    uploadedAt = await uploadState(id, 2);
  });

  it('compare two state versions by resource, and hide sensitive values', async () => {
    const { page } = await open('state');
    await page.getByLabel('Compare version 1').check();
    await page.getByLabel('Compare version 2').check();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('0 added, 1 changed, 0 removed').waitFor();
    await expect.poll(() => dialog.textContent()).toContain('10.1.0.0/16 → 10.2.0.0/16');
    // Of a map, only the key that has changed.
    await expect.poll(() => dialog.textContent()).toContain('tags.serial s1 → s2');
    await expect.poll(() => dialog.textContent()).not.toContain('ada');
    expect(await page.content()).not.toContain('secret-');
    // On a phone, the values of all attributes stand below their names, those that are sensitive too.
    await page.setViewportSize({ width: 390, height: 844 });
    const [name, value] = ['password', 'changed (sensitive)'].map((text) => dialog.getByText(text, { exact: true }));
    const [above, below] = [await name?.boundingBox(), await value?.boundingBox()];
    expect(below?.x).toBe(above?.x);
    expect(below?.y).toBeGreaterThan(above?.y ?? 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hostile'))).toBeUndefined();
    await expectAccessible(page);
    await takeScreenshots(page, 'hostile-state');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compare with 1: changes of version 2' }).click();
    await page.waitForURL(/\?older=sv-\w+&newer=sv-\w+$/);
    await page.reload();
    await dialog.getByText('0 added, 1 changed, 0 removed').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /^Compare version 1 / }).waitFor();
    // Of the first page of two: the previous version is on the second page.
    await page.route('**/api/v2/state-versions?*', async (route) => {
      const url = new URL(route.request().url());
      const isFirst = url.searchParams.get('page[number]') === '1';
      url.searchParams.set('page[number]', '1');
      const response = await route.fetch({ url: url.href });
      const document = await response.json();
      document.data = isFirst ? document.data.slice(0, 1) : document.data;
      document.meta.pagination['total-count'] = 21;
      await route.fulfill({ response, json: document });
    });
    await page.goto(addressOf(`/app/${organization}/workspaces/network/state`));
    await page.getByRole('button', { name: 'Compare with the previous: changes of version 2' }).click();
    await dialog.getByText('0 added, 1 changed, 0 removed').waitFor();
  });

  it('search the resources of a state by address and id, group them by module or type, and show their attributes', async () => {
    const { id } = await createWorkspace(organization, { name: 'modular' });
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    const resource = (type: string, name: string, count: number, module?: string) => ({
      ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
      ...(module !== undefined && { module }),
      instances: Array.from({ length: count }, (_, index_key) => ({
        index_key,
        attributes: { id: `${type}-${index_key}`, cidr: `10.0.${index_key}.0/24`, note: HOSTILE, password: 'secret' },
        sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]],
      })),
    });
    const resources = [
      resource('aws_vpc', 'main', 1),
      resource('aws_subnet', 'private', 40, 'module.network["a"]'),
      resource('aws_subnet', HOSTILE, 1, `module.${HOSTILE}`),
      { ...resource('aws_ami', 'linux', 1), mode: 'data' },
    ];
    await uploadState(id, 1, JSON.stringify({ version: 4, serial: 1, lineage: 'lineage', outputs: {}, resources }));
    const { page } = await openConsole(`/app/${organization}/workspaces/modular/state`, {
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('link', { name: 'All resources' }).click();
    await page.waitForURL(/\/state\/current$/);
    const status = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
    const addresses = () => page.locator('.resources summary > code').allTextContents();
    const toggle = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const search = page.getByRole('searchbox', { name: 'Search resources' });
    await status('42 resources and 1 data source');
    await search.fill('Subnet-39');
    await status('1 resource');
    await search.fill('NETWORK["A"].aws_subnet.private[7]');
    await status('1 resource');
    await expect.poll(() => addresses()).toEqual(['module.network["a"].aws_subnet.private[7]']);
    // One resource is open.
    await page.getByText('10.0.7.0/24').waitFor();
    await page.getByText('sensitive', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('secret');
    // The link stays with the shown version, also while that is the current one.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy: link to module.network["a"].aws_subnet.private[7]' }).click();
    await page.getByText('Copied').first().waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/workspaces\/modular\/state\/sv-\w+\?search=module\.network/);
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
    await search.fill('');
    // More resources than fit are hidden in their groups, which Enter opens.
    await toggle('Group by module');
    await status('42 resources and 1 data source in 3 modules');
    await expect
      .poll(() => page.locator('summary').allTextContents())
      .toEqual([
        'Root module 1 resource and 1 data source',
        expect.stringContaining('module.<img'),
        'module.network["a"] 40 resources',
      ]);
    await page.getByText('Root module').focus();
    await page.keyboard.press('Enter');
    await page.getByText('aws_vpc.main[0]').waitFor();
    await toggle('Group by type');
    await status('42 resources and 1 data source in 3 types');
    // Few enough are shown at once. The address keeps what is shown.
    await search.fill('private[3');
    await status('11 resources in 1 type');
    await page.waitForURL(/\/state\/current\?group=type&search=private%5B3$/);
    await page.reload();
    await status('11 resources in 1 type');
    await page.getByText('module.network["a"].aws_subnet.private[39]').waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hostile'))).toBeUndefined();
    const { data: version } = await request(`/workspaces/${id}/current-state-version`);
    await page.goto(addressOf(`/app/${organization}/workspaces/network/state/${version.id}`));
    await page.getByRole('heading', { name: 'State version not found' }).waitFor();
  });

  it('roll back to an older state version, under a lock that is taken and released, after showing what changes', async () => {
    const { id } = await createWorkspace(organization, { name: 'rolled-back' });
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    for (const serial of [1, 2, 3]) await uploadState(id, serial);
    await request(`/workspaces/${id}/actions/unlock`, { method: 'POST' });
    const { page } = await openConsole(`/app/${organization}/workspaces/rolled-back/state`, {
      expectedComplaints: /409 \(Conflict\)/,
    });
    await act(page, 2, 'Roll back to it');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('10.3.0.0/16 → 10.2.0.0/16').waitFor();
    await expectAccessible(page);
    // Somebody else locks it, and then changes the state.
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    await uploadState(id, 4);
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.getByText(/locked/i).waitFor();
    await request(`/workspaces/${id}/actions/unlock`, { method: 'POST' });
    await page.reload();
    await page.getByLabel('Compare version 2').check();
    await page.getByRole('button', { name: 'Compare with 3: changes of version 4' }).click();
    await dialog.getByRole('button', { name: 'Roll back to version 3…' }).click();
    await dialog.getByText('10.4.0.0/16 → 10.3.0.0/16').waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('rowheader', { name: '3 current rolled back from 4' }).waitFor();
    // The versions were loaded again.
    await expect.poll(() => page.getByLabel('Compare version 2').isChecked()).toBe(true);
    // Of two versions, the later one is the newer one, also with the lower number.
    await page.getByLabel('Compare version 2').uncheck();
    await page.getByLabel('Compare version 4').check();
    await page.getByLabel('Compare version 3 (rollback)').check();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Changes from state version 4 to 3' })
      .getByText('10.4.0.0/16 → 10.3.0.0/16')
      .waitFor();
    await page.keyboard.press('Escape');
    const { data } = await request(`/workspaces/${id}`);
    expect(data.attributes.locked).toBe(false);
    const state = await request(`/workspaces/${id}/current-state-version`);
    expect(state.data.attributes.serial).toBe(3);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Rolled back to version 3 (from 4)').waitFor();
  });

  it('do not roll back a state that has changed since its changes were shown', async () => {
    const { id } = await createWorkspace(organization, { name: 'overtaken' });
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    for (const serial of [1, 2]) await uploadState(id, serial);
    const { page } = await openConsole(`/app/${organization}/workspaces/overtaken/state`);
    await act(page, 1, 'Roll back to it');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('10.2.0.0/16 → 10.1.0.0/16').waitFor();
    await uploadState(id, 3);
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.getByText('The state has changed meanwhile.').waitFor();
    await dialog.getByText('10.3.0.0/16 → 10.1.0.0/16').waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('rowheader', { name: '1 current rolled back from 3' }).waitFor();
    expect((await request(`/workspaces/${id}`)).data.attributes.locked).toBe(true);
  });

  it('warn of a tool version that is older than that of the state', async () => {
    const { page } = await open('settings');
    const version = page.getByLabel('Tool version', { exact: true });
    await version.fill('1.11.3');
    const warning = page.locator('.notice-warning', { hasText: 'Older than version 1.11.4' });
    await warning.waitFor();
    await expectAccessible(page);
    await version.fill('1.11.4');
    await warning.waitFor({ state: 'detached' });
  });

  it('keep entries of the settings that are not saved when another page is opened, until they are given up', async () => {
    const { page } = await open('settings');
    const version = page.getByLabel('Tool version', { exact: true });
    await version.fill('1.11.9');
    const leave = async (button: string) => {
      await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Variables' }).click();
      const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
      await dialog.getByRole('button', { name: button }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await leave('Stay');
    await expect.poll(() => version.inputValue()).toBe('1.11.9');
    await expectAccessible(page);
    await leave('Leave');
    await page.waitForURL(/\/variables$/);
  });

  it('show who created a state version and which one is current, and download it as a file', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces/network/state`, { now: uploadedAt });
    await page
      .getByRole('row', { name: / just now ada / })
      .first()
      .waitFor();
    const current = page.getByRole('rowheader').filter({ hasText: 'current' });
    await expect.poll(() => current.allTextContents()).toEqual(['2current']);
    const download = page.waitForEvent('download');
    await act(page, 2, 'Download');
    expect((await download).suggestedFilename()).toMatch(/^sv-\w+-2\.tfstate$/);
  });

  it('name the current state version and show its outputs while a newer one waits for its content', async () => {
    const { id } = await createWorkspace(organization, { name: 'uploading' });
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    await uploadState(id, 1);
    const pending = { serial: 2, lineage: 'lineage', md5: createHash('md5').update('later').digest('hex') };
    await create(`/workspaces/${id}/state-versions`, 'state-versions', pending);
    const { page } = await openConsole(`/app/${organization}/workspaces/uploading/state`);
    await page.getByRole('row', { name: / 2 pending .* ada / }).waitFor();
    await page.getByRole('rowheader', { name: 'note' }).waitFor();
    await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['note', '2pending', '1current']);
    await page.getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('button', { name: 'Options of the version' }).click();
    await page.getByRole('menuitem', { name: 'Show as curl' }).click();
    await page.getByText('curl -sS -g -L').waitFor();
  });

  it('show a search and filters only where there is something to search', async () => {
    const { id } = await createWorkspace(organization, { name: 'unused' });
    const { page } = await openConsole(`/app/${organization}/workspaces/unused/runs?search=apply`);
    await page.getByText('No run matches').waitFor();
    await page.getByLabel('Search', { exact: true }).fill('');
    await page.getByText('No runs yet').waitFor();
    await expect.poll(() => page.getByLabel('Status').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Variables' }).click();
    await page.getByText('There are no variables yet').waitFor();
    await expect.poll(() => page.getByRole('searchbox').count()).toBe(0);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'How to report runs' }).click();
    // The lines to copy report a run.
    const lines = await page.getByRole('figure', { name: 'AWS CLI' }).locator('code').textContent();
    const [entry] = JSON.parse(/^aws events put-events --entries '(.*)'$/s.exec(lines ?? '')?.[1] ?? '');
    const { run } = JSON.parse(entry.Detail);
    await report(organization, id, [[entry.DetailType, { run }]]);
    await expect.poll(async () => (await request(`/workspaces/${id}/runs`)).data).toHaveLength(1);
    await page.reload();
    await page.getByRole('row', { name: /First report .* planned and finished plan only not reported/ }).waitFor();
  });

  it('show the progress while large states are read or saved, and stop it', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces`);
    await page.route(/\/api\/v2\/state-versions(\?|\/[\w-]+$)/, async (route) => {
      const response = await route.fetch();
      const document = await response.json();
      for (const { attributes } of [document.data].flat()) attributes.size = 15_000_000;
      await route.fulfill({ response, json: document });
    });
    // Without a response until the request is canceled.
    await page.route('**/download', () => undefined);
    await page.goto(addressOf(`/app/${organization}/workspaces/network/state`));
    const progress = page.getByText('Downloading, in kB: 0 of 15,000');
    await act(page, 2, 'Download');
    await progress.waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const button = page.getByRole('button', { name: 'More actions on version 2' });
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole('link', { name: '2', exact: true }).click();
    await progress.waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.waitForURL(/\/state$/);
  });

  it('show the history with old and new values, filtered by the action in the URL and by the name of a person', async () => {
    // The history is written from the stream of the table, shortly after a change.
    const locks = `/workspaces/${workspace}/history?filter[action]=workspace.locked`;
    await expect.poll(async () => (await request(locks)).data).toHaveLength(1);
    const { page } = await open('history?action=workspace.locked');
    await page.locator('.timeline-entry').getByText('maintenance').waitFor();
    await expect.poll(() => page.locator('.timeline-entry').count()).toBe(1);
    await expectAccessible(page);
    const actor = page.getByRole('combobox', { name: 'Actor' });
    await actor.focus();
    await page.locator('datalist option[value="ada"]').waitFor({ state: 'attached' });
    await actor.fill('ada');
    await expect.poll(() => new URL(page.url()).searchParams.get('actor')).toMatch(/^user-/);
    await page.locator('.timeline-entry').getByText('maintenance').waitFor();
    const note = page.getByText('Newest first by when a change was stored.');
    await expect.poll(() => note.count()).toBe(0);
    await page.route(/\/api\/.*\/history\?/, async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      const [entry] = data;
      const attributes = { ...entry.attributes, 'created-at': new Date(0).toISOString() };
      await route.fulfill({
        response,
        json: { ...rest, data: [{ ...entry, id: 'evt-earlier', attributes }, ...data] },
      });
    });
    await page.reload();
    await note.waitFor();
    await page.locator('.section-header').getByRole('link', { name: 'audit trail' }).click();
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor();
    const action = page.getByLabel('Action', { exact: true });
    await expect.poll(() => action.locator('option:checked').textContent()).toBe('8 actions');
    await page.getByText('No change matches').waitFor();
  });

  it('fold the filters of the history on a narrow screen, unless one is set', async () => {
    const { page } = await open('history', 390);
    await page.locator('.timeline-entry').first().waitFor();
    const actor = page.getByLabel('Actor');
    await expect.poll(() => actor.isVisible()).toBe(false);
    await page.getByText('Filters', { exact: true }).click();
    await page.getByLabel('Action', { exact: true }).selectOption('Locked');
    await page.getByText('Filters (1)').waitFor();
    await expectAccessible(page);
    await page.reload();
    await actor.waitFor();
  });

  it('show the consumers, and add and remove one', async () => {
    const { page } = await open('consumers');
    await createWorkspace(organization, { name: 'dns' });
    await page.getByRole('button', { name: 'Add consumer' }).click();
    await page.getByRole('combobox', { name: 'Workspace' }).fill('dns');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('rowheader', { name: 'dns' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove dns' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    // An open dialog hides the page from roles.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('rowheader', { name: 'dns' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('rowheader', { name: 'database' }).count()).toBe(1);
  });

  it('show the workspaces whose state a workspace may read in the graph of its consumers', async () => {
    await createWorkspace(organization, { name: 'zones', 'global-remote-state': true });
    const { page } = await openConsole(`/app/${organization}/workspaces/database/consumers`);
    await page.getByText('No other workspace may read the state').waitFor();
    await page.getByRole('button', { name: 'Find the workspaces' }).click();
    await page.getByRole('row', { name: 'network selected workspaces' }).waitFor();
    await page.getByRole('row', { name: 'zones all workspaces of the organization' }).waitFor();
    await page.getByRole('heading', { name: 'Graph of the shared states' }).waitFor();
    const graph = page.getByRole('img', { name: /^database is read by 0 .* It reads 2 workspaces on this page\.$/ });
    await expect.poll(() => graph.locator('text').allTextContents()).toEqual(['network', 'zones', 'database']);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'network' }).click();
    await page.getByRole('rowheader', { name: 'database' }).waitFor();
    await expect.poll(() => page.getByRole('img', { name: /It reads/ }).count()).toBe(0);
  });

  it('show the runs that a runner has reported, with a chart of their durations', async () => {
    const { id } = await createWorkspace(organization, { name: 'deployed' });
    const minute = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes)).toISOString();
    const run = (number: number, status: string, minutes: number, more: object = {}) =>
      [
        'run.updated',
        {
          run: {
            id: `run-222222222222222${number}`,
            status,
            at: minute(minutes),
            'created-at': minute(number * 10),
            'plan-only': false,
            message: `change ${number}`,
            ...more,
          },
        },
      ] as const;
    const version = {
      id: 'cv-2222222222222222',
      status: 'uploaded',
      speculative: false,
      at: minute(9),
      'created-at': minute(9),
      'ingress-attributes': {
        branch: 'main',
        'commit-sha': 'abcdef0123456789',
        'commit-message': HOSTILE,
        'sender-username': 'ada-vcs',
      },
    };
    await report(organization, id, [
      ['configuration-version.updated', { 'configuration-version': version }],
      run(5, 'planned', 2, { 'created-at': minute(0) }),
      run(5, 'applied', 9, { 'created-at': minute(0) }),
      run(1, 'planning', 11, { 'configuration-version': version.id, source: 'tfe-ui' }),
      run(1, 'applied', 15, { 'configuration-version': version.id, source: 'tfe-ui' }),
      run(2, 'errored', 22, { 'is-destroy': true, message: HOSTILE }),
      run(4, 'policy_soft_failed', 26, { 'created-at': minute(24) }),
      run(3, 'planning', 31, { 'plan-only': true }),
    ]);
    await expect
      .poll(async () => (await request(`/workspaces/${id}/runs`)).data.map((it: Run) => it.attributes.status))
      .toEqual(['planning', 'policy_soft_failed', 'errored', 'applied', 'applied']);
    const kpis = async () => (await request(`/workspaces/${id}`)).data.attributes['workspace-kpis-run-count'];
    await expect.poll(kpis).toBe(3);

    const { page } = await openConsole(`/app/${organization}/workspaces/deployed`);
    // Without the seven minutes for which the first run waited for a decision.
    await page.getByText('Durations without waiting for a decision. The longest took 5 min.').waitFor();
    const bars = page.getByRole('list', { name: 'Durations of runs' }).getByRole('link');
    await expect
      .poll(() => bars.evaluateAll((links) => links.map((link) => link.getAttribute('aria-label'))))
      .toEqual(['change 5: applied, 2 min', 'change 1: applied, 5 min', expect.stringMatching(/: failed, 2 min$/)]);
    await page.getByText(/^The last report was .* ago\. Look whether/).waitFor();
    await page.getByText('The runner may have stopped').waitFor();
    await page.getByText('Show the command').click();
    const command = await page.getByRole('figure', { name: 'AWS CLI' }).locator('code').textContent();
    const [entry] = JSON.parse(/^aws events put-events --entries '(.*)'$/s.exec(command ?? '')?.[1] ?? '');
    expect(JSON.parse(entry.Detail).run).toEqual({
      id: 'run-2222222222222223',
      status: 'errored',
      at: expect.any(String),
      'created-at': expect.any(String),
      'plan-only': true,
      'save-plan': false,
      'is-destroy': false,
      'auto-apply': false,
      message: 'change 3',
    });
    await page.getByText('Of the last 3 runs that applied or failed, without the current one:').waitFor();
    await expect.poll(() => page.locator('.fact', { hasText: 'because of a policy' }).textContent()).toMatch(/0$/);
    await expect.poll(() => page.locator('.fact', { hasText: /^Failed\d/ }).textContent()).toBe('Failed1');
    await expectAccessible(page);
    await takeScreenshots(page, 'hostile-overview');
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Runs' }).click();
    await page
      .getByRole('row', { name: /change 1 run-\w+ by ada-vcs applied plan and apply abcdef01 main console .* 5 min$/i })
      .waitFor();
    await page.getByRole('row', { name: /failed destroy not reported/i }).waitFor();
    await page
      .getByRole('row', { name: /change 3 run-\w+ planning last report .* ago plan only .* not finished$/i })
      .waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hostile'))).toBeUndefined();
    await expectAccessible(page);
    await takeScreenshots(page, 'hostile-runs');
    const types = 'workspace.run-updated,workspace.configuration-version-updated';
    // The history is written from the stream of the table, shortly after a change.
    const missing = async () => {
      const { data } = await request(`/workspaces/${id}/history?filter[action]=${types}`);
      const entries = data.map((entry: unknown) => JSON.stringify(entry));
      return [
        ['configuration-version-updated'],
        ['run-2222222222222221', '"status":"applied"'],
        ['run-2222222222222222', '"status":"errored"'],
      ].filter((parts) => !entries.some((entry: string) => parts.every((part) => entry.includes(part))));
    };
    await expect.poll(missing).toEqual([]);
    await page.goto(addressOf(`/app/${organization}/workspaces/deployed/history`));
    const ofRunner = page.locator('.timeline-title', { hasText: 'by the runner' });
    await ofRunner.filter({ hasText: 'Run failed' }).waitFor();
    await ofRunner.filter({ hasText: 'Configuration version uploaded' }).waitFor();
    await page.getByRole('link', { name: 'change 1: applied' }).waitFor();
    await page.goBack();
    await page.getByLabel('Status').selectOption('Finished');
    await page.getByRole('row', { name: /change 3/ }).waitFor({ state: 'detached' });
    await page.goto(addressOf(`/app/${organization}/workspaces?status=errored`));
    await page
      .getByText('No workspace matches')
      .or(page.getByRole('link', { name: 'deployed' }))
      .waitFor();
    await page.goto(addressOf(`/app/${organization}/workspaces`));
    await page.getByRole('row', { name: /deployed.*planning .*, not reported for more than 6 hours/i }).waitFor();
  });

  it('give a team access, change it, and show who has access through the project and the organization', async () => {
    await create(`/organizations/${organization}/teams`, 'teams', { name: 'developers', visibility: 'organization' });
    const managers = { name: 'managers', 'organization-access': { 'manage-workspaces': true } };
    await create(`/organizations/${organization}/teams`, 'teams', managers);
    const team = await create(`/organizations/${organization}/teams`, 'teams', { name: 'maintainers' });
    const { project } = (await request(`/workspaces/${workspace}`)).data.relationships;
    const relationships = { project, team: { data: { type: 'teams', id: team.id } } };
    await create('/team-projects', 'team-projects', { access: 'maintain' }, relationships);
    const { page } = await open('access');
    await page.getByRole('button', { name: 'Add team' }).click();
    await page.getByLabel('Team', { exact: true }).fill('developers');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /developers Read: see/ }).waitFor();
    await page.getByRole('button', { name: 'Edit developers' }).click();
    await page.getByLabel('Access', { exact: true }).selectOption('admin');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /developers Admin: everything/ }).waitFor();
    await page.getByRole('button', { name: 'Add team' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Team', { exact: true }).fill('maintainers');
    await dialog.getByLabel('Access', { exact: true }).selectOption('custom');
    await dialog.getByLabel('State', { exact: true }).selectOption('read-outputs');
    await dialog.getByLabel('Lock and unlock').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /maintainers Custom: .* read none read-outputs yes/ }).waitFor();
    await page.getByRole('button', { name: 'Remove maintainers' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const inherited = page.getByRole('region', { name: 'Access through the project and the organization' });
    await inherited.waitFor();
    await expect
      .poll(() => inherited.getByRole('row').allInnerTexts())
      .toEqual([
        expect.stringMatching(/Team\s+Access\s+Origin/),
        expect.stringMatching(/maintainers\s+Maintain: create .*\s+project Default Project/),
        expect.stringMatching(/managers\s+Admin: everything\s+organization: Manage all workspaces/),
        expect.stringMatching(/owners\s+Admin: everything\s+organization: owners/),
      ]);
    await expectAccessible(page);

    // Maintainers of the project change the workspace, but not the access of teams to it.
    const { data } = await request(`/teams/${team.id}/authentication-token`, { method: 'POST' });
    const path = `/app/${organization}/workspaces/network/access`;
    const { page: ofMaintainers } = await openConsole(path, {
      token: data.attributes.token,
      // The token of a team has no user.
      expectedComplaints: /404 \(Not Found\)/,
    });
    for (const name of ['Add team', 'Edit developers', 'Remove developers']) {
      const button = ofMaintainers.getByRole('button', { name });
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      const reason = await button.evaluate((element) => element.nextElementSibling?.textContent);
      expect(reason, name).toBe('You need permission to manage team access.');
    }
  });

  it('set the retention, and report an invalid number at its field', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces/network/retention`, {
      expectedComplaints: /422 \(Unprocessable Entity\)/,
    });
    // The settings of the workspace have it, in place of a page of its own.
    await page.waitForURL(/\/workspaces\/network\/settings$/);
    await page.getByText('All versions are kept.').waitFor();
    const remove = page.getByRole('button', { name: 'Remove the policy' });
    await expect.poll(() => remove.count()).toBe(0);
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: 'Retention' }).click();
    await page.getByRole('heading', { name: 'Retention' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Edit the retention' }).click();
    const save = page.getByRole('dialog').getByRole('button', { name: 'Save' });
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Old versions').selectOption('delete');
    await page.getByLabel('Days').fill('0');
    await save.click();
    await page.locator('input[aria-invalid="true"][name="delete-older-than-n-days"]').waitFor();
    await page.getByLabel('Days').fill('30');
    await save.click();
    await page.getByText(/Older versions are deleted after 30 days, .* \(policy of this workspace\)/).waitFor();
    await remove.waitFor();
    await expectAccessible(page);

    // The form starts with the policy in force, so its fields are shown when that is known.
    let load = () => {};
    const loading = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route('**/data-retention-policy', async (route) => {
      await loading;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Edit the retention' }).click();
    await page.getByRole('dialog', { name: 'Edit the retention' }).getByText('Loading').waitFor({ state: 'attached' });
    load();
    await expect.poll(() => page.getByLabel('Days').inputValue()).toBe('30');
  });

  it('fit into 360 pixels', async () => {
    const { page } = await open('state', 360);
    for (const tab of ['Runs', 'History', 'Consumers', 'Team access', 'Settings']) {
      await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: tab }).click();
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expectNoSidewaysScrolling(page);
    }
    expect(workspace).toMatch(/^ws-/);
  });
});
