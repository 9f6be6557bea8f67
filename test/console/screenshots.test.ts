import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import {
  create,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  report,
  request,
  screenshotFolder,
  takeScreenshots,
} from '../support/console/console.ts';
import { POLL_DEADLINE } from '../support/setup/deadline.ts';

/**
 * The main pages of an organization with some content, and the pictures of README.md and docs/concepts/console.md
 * (`npm run generate:pictures`).
 */

const HOUR = 3_600_000;

interface Example {
  readonly name: string;
  readonly project: string;
  readonly tags: readonly string[];
  readonly version?: string;
  readonly mode?: 'local';
  /** Status of the current run, which began so many hours ago. */
  readonly run?: readonly [status: string, hours: number];
}

const examples: readonly Example[] = [
  { name: 'network', project: 'Platform', tags: ['core', 'production'], run: ['applied', 26] },
  { name: 'network-staging', project: 'Platform', tags: ['core'], version: '1.10.3', run: ['planned_and_finished', 3] },
  { name: 'dns', project: 'Platform', tags: ['core', 'production'], run: ['applied', 170] },
  { name: 'identity', project: 'Platform', tags: ['core', 'production'], run: ['applied', 52] },
  { name: 'cluster-eu-central-1', project: 'Platform', tags: ['kubernetes', 'production'], run: ['applying', 0.2] },
  { name: 'cluster-staging', project: 'Platform', tags: ['kubernetes'], version: '1.10.3', run: ['errored', 5] },
  { name: 'payments-api', project: 'Payments', tags: ['pci', 'production'], run: ['applied', 7] },
  { name: 'payments-api-staging', project: 'Payments', tags: ['pci'], version: '1.10.3', run: ['planning', 0.1] },
  { name: 'ledger', project: 'Payments', tags: ['pci', 'production'], run: ['applied', 75] },
  { name: 'warehouse', project: 'Data', tags: ['analytics', 'production'], run: ['applied', 31] },
  { name: 'reporting', project: 'Data', tags: ['analytics'], run: ['canceled', 98] },
  { name: 'search', project: 'Shop', tags: ['production'], run: ['applied', 12] },
  { name: 'storefront', project: 'Shop', tags: ['production'], mode: 'local' },
  { name: 'sandbox', project: 'Shop', tags: [], version: 'latest', mode: 'local' },
];

/** Id of the run of a workspace, which looks like that of a runner. */
const runId = (workspace: string): string =>
  `run-${createHash('sha256')
    .update(workspace)
    .digest('base64')
    .replaceAll(/[0OIl+/=]/g, '')
    .slice(0, 16)}`;

describeConsole('the pages of an organization', () => {
  const organization = 'acme';

  const uploadState = async (workspace: string, name: string) => {
    const resources = ['main', 'backup'].map((resource) => ({
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: resource,
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ attributes: { id: `${name}-${resource}` } }],
    }));
    const outputs = { endpoint: { value: `https://${name}.example.com`, type: 'string' } };
    const lineage = name;
    const content = JSON.stringify({ version: 4, terraform_version: '1.9.8', serial: 1, lineage, outputs, resources });
    await request(`/workspaces/${workspace}/actions/lock`, { method: 'POST' });
    await create(`/workspaces/${workspace}/state-versions`, 'state-versions', {
      serial: 1,
      lineage,
      md5: createHash('md5').update(content).digest('hex'),
      state: Buffer.from(content).toString('base64'),
    });
    await request(`/workspaces/${workspace}/actions/unlock`, { method: 'POST' });
  };

  const reportRun = async (workspace: string, name: string, [status, hours]: readonly [string, number]) => {
    const createdAt = Date.now() - hours * HOUR;
    await report(organization, workspace, [
      [
        'run.updated',
        {
          run: {
            id: runId(name),
            status,
            at: new Date(createdAt + 90_000).toISOString(),
            'created-at': new Date(createdAt).toISOString(),
            'plan-only': status === 'planned_and_finished',
            message: 'Add a subnet for each zone',
            source: 'tfe-api',
          },
        },
      ],
    ]);
  };

  beforeAll(async () => {
    await create('/organizations', 'organizations', { name: organization, email: 'ada@example.com' });
    const names = [...new Set(examples.map(({ project }) => project))];
    const projects = new Map<string, string>();
    for (const name of names)
      projects.set(name, (await create(`/organizations/${organization}/projects`, 'projects', { name })).id);
    const team = await create(`/organizations/${organization}/teams`, 'teams', { name: 'payments-pipeline' });
    await create(
      '/team-projects',
      'team-projects',
      { access: 'write' },
      {
        team: { data: { type: 'teams', id: team.id } },
        project: { data: { type: 'projects', id: projects.get('Payments') } },
      },
    );
    const { data: token } = await request(`/teams/${team.id}/authentication-token`, { method: 'POST' });
    const ids = new Map<string, string>();
    for (const { name, project, tags, version = '1.9.8', mode = 'remote', run } of examples) {
      const { id } = await createWorkspace(
        organization,
        { name, 'infra-version': version, 'execution-mode': mode },
        { project: { data: { type: 'projects', id: projects.get(project) } } },
      );
      ids.set(name, id);
      const data = tags.map((tag) => ({ type: 'tags', attributes: { name: tag } }));
      if (data.length > 0) await request(`/workspaces/${id}/relationships/tags`, { body: { data } });
      if (run !== undefined) await reportRun(id, name, run);
      if (run?.[0] === 'applied') await uploadState(id, name);
    }
    const network = ids.get('network');
    await create(`/workspaces/${network}/vars`, 'vars', { key: 'region', value: 'eu-central-1', category: 'infra' });
    const secret = { key: 'PASSWORD', value: 's3cret', category: 'env', sensitive: true };
    await create(`/workspaces/${network}/vars`, 'vars', secret);
    await request(`/workspaces/${network}/actions/lock`, { body: { reason: 'Migrating the state' } });
    const lock = { body: { reason: 'Release 2026.48' }, token: token.attributes.token };
    await request(`/workspaces/${ids.get('ledger')}/actions/lock`, lock);
    const runs = examples.flatMap(({ run }) => (run === undefined ? [] : [run]));
    const filter = `filter[current-run][status]=${[...new Set(runs.map(([status]) => status))].join(',')}`;
    const hasAllRuns = async () =>
      expect((await request(`/organizations/${organization}/workspaces?${filter}`)).data).toHaveLength(runs.length);
    await vi.waitFor(hasAllRuns, POLL_DEADLINE);
  });

  it.each([
    ['sign-in', '', 'Sign in'],
    ['workspaces', '/workspaces', 'network-staging'],
    ['workspace', '/workspaces/network', 'Migrating the state'],
    ['variables', '/workspaces/network/variables', 'PASSWORD'],
    ['settings', '/workspaces/network/settings', 'Execution mode'],
    ['locks', '/locks', 'Migrating the state'],
  ])('%s has no accessibility violations and fits the window', async (name, path, content) => {
    const { page } = await openConsole(`/app/${organization}${path}`, name === 'sign-in' ? { token: false } : {});
    await page.getByText(content).first().waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, `docs-${name}`);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(page);
  });

  it.skipIf(screenshotFolder === undefined).each([
    ['workspaces', '/workspaces', 'network-staging'],
    ['workspace', '/workspaces/network', 'Migrating the state'],
  ])('%s is a picture of the documentation in both themes', async (name, path, content) => {
    const { page } = await openConsole(`/app/${organization}${path}`, {
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 2,
      now: Date.now() + 2 * HOUR,
    });
    await page.getByText(content).first().waitFor();
    await page.waitForLoadState('networkidle');
    const browser = await page.context().newCDPSession(page);
    const folder = join(screenshotFolder ?? '', 'pictures');
    mkdirSync(folder, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
      const picture = Buffer.from(data, 'base64');
      expect(picture.length).toBeLessThan(200_000);
      writeFileSync(join(folder, `${name}-${colorScheme}.webp`), picture);
    }
  });
});
