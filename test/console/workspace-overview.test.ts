import { createHash } from 'node:crypto';
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

const HOSTILE = '<img src=x onerror="globalThis.hostile=1">\u202Etxt.exe';

/** Resources by the number of their instances. */
type Resources = readonly (readonly [type: string, count: number, module?: string])[];

const upload = async (workspace: string, serial: number, resources: Resources, more: object = {}): Promise<void> => {
  const content = JSON.stringify({
    ...{ version: 4, serial, lineage: 'lineage', terraform_version: '1.11.4' },
    outputs: {
      ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`o${index}`, { value: index, type: 'number' }])),
      note: { value: HOSTILE, type: 'string' },
      password: { value: 's3cret', type: 'string', sensitive: true },
    },
    resources: resources.map(([type, count, module]) => ({
      ...{ mode: 'managed', type, name: 'this', provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
      ...(module !== undefined && { module }),
      instances: Array.from({ length: count }, (_, index_key) => ({ index_key, attributes: {} })),
    })),
    ...more,
  });
  await create(`/workspaces/${workspace}/state-versions`, 'state-versions', {
    serial,
    lineage: 'lineage',
    md5: createHash('md5').update(content).digest('hex'),
    state: Buffer.from(content).toString('base64'),
  });
};

describeConsole('the overview of a workspace', () => {
  let organization: string;

  /** Creates a workspace that the owner has locked. */
  const createLocked = async (name: string): Promise<string> => {
    const { id } = await createWorkspace(organization, { name });
    await request(`/workspaces/${id}/actions/lock`, { method: 'POST' });
    return id;
  };
  const open = (name: string, options: Parameters<typeof openConsole>[1] = {}) =>
    openConsole(`/app/${organization}/workspaces/${name}`, options);

  /** Creates a team with custom access to a workspace. @returns its token. */
  const createReader = async (workspace: string, stateVersions: string): Promise<string> => {
    const team = await create(`/organizations/${organization}/teams`, 'teams', { name: `state-${stateVersions}` });
    await create(
      '/team-workspaces',
      'team-workspaces',
      { access: 'custom', runs: 'read', variables: 'none', 'state-versions': stateVersions },
      {
        team: { data: { type: 'teams', id: team.id } },
        workspace: { data: { type: 'workspaces', id: workspace } },
      },
    );
    return (await request(`/teams/${team.id}/authentication-token`, { method: 'POST' })).data.attributes.token;
  };

  beforeAll(async () => {
    organization = await createOrganization();
  });

  it('counts the resources by type and by module, with four requests and without the state', async () => {
    const id = await createLocked('counted');
    await upload(id, 1, [
      ['aws_subnet', 3, 'module.network["a"].module.subnets'],
      ['aws_vpc', 1, 'module.network["b"]'],
      ['aws_instance', 2],
      ['aws_kms_key', 1, `module.${HOSTILE}`],
      ...Array.from({ length: 6 }, (_, index) => [`aws_other_${index}`, 1] as const),
    ]);
    const { page, requests } = await open('counted');
    const bars = async (name: string) =>
      (await page.getByRole('list', { name }).getByRole('listitem').allTextContents()).map((text) => text.trim());
    await page.getByRole('list', { name: 'Resources by type' }).waitFor();
    expect((await bars('Resources by type')).slice(0, 3)).toEqual(['aws_subnet3', 'aws_instance2', 'aws_kms_key1']);
    await expect.poll(() => bars('Resources by type')).toHaveLength(8);
    await page.getByText('2 resources of other types').waitFor();
    expect((await bars('Resources by module')).slice(0, 2)).toEqual(['Root module8', 'module.network4']);
    await page.getByRole('link', { name: 'All 12 outputs' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(1 + 10);
    const paths = requests.map((url) => new URL(url).pathname).filter((path) => path.startsWith('/api/v2/'));
    const ofPage = paths.filter((path) => !/\/(account\/details|organizations\/[^/]+|organizations)$/.test(path));
    expect(ofPage.map((path) => path.replace(/sv-\w+/, 'sv')).sort()).toEqual([
      `/api/v2/organizations/${organization}/workspaces/counted`,
      '/api/v2/state-versions',
      '/api/v2/state-versions/sv/outputs',
      `/api/v2/workspaces/${id}/resources`,
    ]);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hostile'))).toBeUndefined();
    await expectAccessible(page);
    // The types, the modules and the number lead to the resources.
    for (const [name, address, count] of [
      ['aws_subnet', /\/state\/current\?type=aws_subnet$/, '3 resources'],
      ['module.network', /\/state\/current\?module=module.network$/, '4 resources'],
      ['Root module', /\/state\/current\?module=root$/, '8 resources'],
      ['13', /\/state\/current$/, '13 resources'],
    ] as const) {
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('link', { name, exact: true }).click();
      await page.waitForURL(address);
      await page.getByRole('status').getByText(count, { exact: true }).waitFor();
    }
  });

  it('shows the course of the resource count, whose steps lead to the changes of a state version', async () => {
    const id = await createLocked('course');
    for (let serial = 1; serial <= 50; serial += 1) {
      await upload(id, serial, [['aws_subnet', serial === 50 ? 40 : serial]]);
    }
    const { page } = await open('course', { viewport: { width: 390, height: 844 } });
    await page
      .getByRole('img', { name: 'Number of resources of the last 50 state versions: first 1, last 40, at most 49.' })
      .waitFor();
    await page.getByText('Version 50: 40 resources, 9 fewer than before').waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
    // One Tab stop; the arrow keys move to the other versions.
    const points = page.locator('.course-points');
    await expect.poll(() => points.locator('a[tabindex="0"]').count()).toBe(1);
    await points.locator('a[tabindex="0"]').focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Version 49: 49 resources, 1 more than before').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/state\?older=sv-\w+&newer=sv-\w+$/);
    await page.getByRole('dialog', { name: 'Changes from state version 48 to 49' }).waitFor();
    await page.goto(addressOf(`/app/${organization}/workspaces/course`));
    await page.getByRole('link', { name: 'Version 1: 1 resource', exact: true }).click();
    await page.waitForURL(/\/state\/sv-\w+$/);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Last 50 state versions' }).waitFor();
  });

  it('says why the resources of a state are not shown', async () => {
    const id = await createLocked('encrypted');
    await upload(id, 1, [], { encrypted_data: 'x', resources: undefined, outputs: undefined });
    const { page } = await open('encrypted', { expectedComplaints: /422/ });
    await page.getByText('The resources of the state cannot be read: it is encrypted, or too old.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('shows callers only what they may read of the state', async () => {
    const id = await createLocked('guarded');
    await upload(id, 1, [['aws_subnet', 1]]);
    const section = (page: Awaited<ReturnType<typeof open>>['page'], title: string) =>
      page.locator('.section', { has: page.getByRole('heading', { name: title, exact: true }) });
    // The token of a team has no account.
    const asTeam = { expectedComplaints: /account\/details/ };
    const none = await open('guarded', { token: await createReader(id, 'none'), ...asTeam });
    await section(none.page, 'Resources').getByText('You need permission to read state versions.').waitFor();
    await section(none.page, 'Outputs').getByText('You need permission to read outputs.').waitFor();
    expect(none.requests.filter((url) => /state-versions|\/resources/.test(url))).toEqual([]);
    const outputs = await open('guarded', { token: await createReader(id, 'read-outputs'), ...asTeam });
    await section(outputs.page, 'Resources').getByText('You need permission to read state versions.').waitFor();
    await section(outputs.page, 'Outputs').getByText('The first 10 of 12 outputs.').waitFor();
  });

  it('shows the first steps without a state, and what a state version waits for', async () => {
    await createLocked('empty');
    const { page } = await open('empty');
    await page.getByRole('heading', { name: 'There is no state yet' }).waitFor();
    await page.getByText('The first apply of this configuration stores it here.').waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'Outputs' }).count()).toBe(0);
    await expectAccessible(page);
    const id = await createLocked('waiting');
    const md5 = createHash('md5').update('later').digest('hex');
    await create(`/workspaces/${id}/state-versions`, 'state-versions', { serial: 1, lineage: 'lineage', md5 });
    await page.goto(addressOf(`/app/${organization}/workspaces/waiting`));
    await page.getByText('A state version becomes the current state when its content has arrived.').waitFor();
  });
});
