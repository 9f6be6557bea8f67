import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { findCommand } from '../support/clients/programs.ts';
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

/** Returns the lines of a code block. */
const codeOf = (page: Page, label: string): Promise<string> =>
  page
    .getByRole('figure', { name: label, exact: true })
    .locator('pre')
    .evaluate(({ textContent }) => textContent ?? '');

const done = (page: Page) => page.getByRole('heading', { name: /\(done\)$/ });
const finished = (page: Page) => page.getByText('The first state is stored.');

describeConsole('the first steps of an organization', () => {
  it('show all steps and the configuration for this host, and tick themselves', async () => {
    const organization = await createOrganization();
    const { page } = await openConsole(`/app/${organization}`, { viewport: { width: 390, height: 800 } });
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.getByRole('heading', { name: 'Get a token' }).waitFor();
    await expect.poll(() => codeOf(page, 'holdfast.tfrc')).toContain(`"tfe.v2"   = "${addressOf('/api/v2/')}"`);
    await expect.poll(() => codeOf(page, 'main.tf')).toContain(`organization = "${organization}"`);
    await page.getByText('Waiting for the first workspace').waitFor();
    await expect.poll(() => done(page).count()).toBe(0);
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);

    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByRole('heading', { name: 'Get a token (done)' }).waitFor();
    const [, token] = /token = "(hfu_\w+)"/.exec(await codeOf(page, 'holdfast.tfrc')) ?? [];
    expect((await request('/account/details', { token: token ?? '' })).data.attributes.username).toBe('ada');

    // No other page shows the text of the token.
    await page.goBack();
    await page.getByRole('dialog', { name: 'Leave the token?' }).getByRole('button', { name: 'Stay' }).click();

    const { id } = await createWorkspace(organization, { name: 'network' });
    await page.getByText('Waiting for the first state').waitFor();
    await expect.poll(() => done(page).count()).toBe(2);
    await page.getByRole('cell', { name: 'network' }).first().waitFor();
    await expectAccessible(page);

    await request(`/workspaces/${id}/actions/lock`, { body: {} });
    const version = { serial: 1, lineage: 'one' };
    const content = JSON.stringify({ version: 4, terraform_version: '1.11.4', ...version, outputs: {}, resources: [] });
    await create(`/workspaces/${id}/state-versions`, 'state-versions', {
      ...version,
      md5: createHash('md5').update(content).digest('hex'),
      state: Buffer.from(content).toString('base64'),
    });
    await finished(page).waitFor();
    await expect.poll(() => done(page).count()).toBe(3);
    await page.getByRole('button', { name: 'Hide the steps' }).click();
    await expect.poll(() => page.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
  });

  it.skipIf(findCommand('terraform') === undefined)(
    'lead from the lines on the page alone to a state that terraform has stored',
    async () => {
      const organization = await createOrganization();
      const { page } = await openConsole(`/app/${organization}/workspaces`);
      await page.getByRole('button', { name: 'Create a token' }).click();
      await page.getByRole('heading', { name: 'Get a token (done)' }).waitFor();
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-first-steps-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      for (const file of ['holdfast.tfrc', 'main.tf']) writeFileSync(join(folder, file), await codeOf(page, file));
      const lines = [await codeOf(page, 'In this folder'), await codeOf(page, 'In the same terminal')];
      const env = {
        PATH: process.env['PATH'],
        HOME: folder,
        CHECKPOINT_DISABLE: '1',
        TF_CLI_ARGS_apply: '-auto-approve',
      };
      await promisify(execFile)('sh', ['-ec', lines.join('\n')], { cwd: folder, env });
      await finished(page).waitFor();
      await page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'network' }).click();
      await page.getByText('greeting').waitFor();
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/app/${organization}/workspaces/network/state`);
    },
  );
});
