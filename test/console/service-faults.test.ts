import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  createOrganization,
  createWorkspace,
  describeConsole,
  openConsole,
} from '../support/console/console.ts';

/** Pages while the service is busy, fails, or cannot be reached. */

const failure = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers,
  json: { errors: [{ status: String(status), title: 'failure', detail }] },
});

describeConsole('the web console while the service fails', () => {
  let organization: string;
  const path = (name: string) => `/app/${organization}/workspaces/${name}`;

  beforeAll(async () => {
    organization = await createOrganization();
    await createWorkspace(organization, { name: 'network' });
  });

  it('says at once that the service is under maintenance, on pages and in dialogs, and lets the user try again', async () => {
    const { page } = await openConsole(path('network'), { expectedComplaints: /status of 503/ });
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const maintenance = failure(503, 'The service is under maintenance.', { 'retry-after': '300' });
    let locks = 0;
    await page.route('**/api/**', (route) => {
      if (route.request().url().endsWith('/actions/lock')) locks += 1;
      return route.fulfill(maintenance);
    });
    await dialog.getByRole('button', { name: 'Lock' }).click();
    await dialog.getByRole('alert').getByText('under maintenance').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('alert').getByText('under maintenance').waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('rowheader', { name: 'Default Project' }).waitFor();
    expect(locks).toBe(1);
  });

  it('repeats a request whose response is incomplete', async () => {
    const { page } = await openConsole(path('network'));
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    let attempts = 0;
    await page.route('**/projects?**', (route) => {
      attempts += 1;
      return attempts === 1 ? route.fulfill({ body: '{"data":' }) : route.continue();
    });
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('rowheader', { name: 'Default Project' }).waitFor();
    expect(attempts).toBeGreaterThan(1);
  });

  it('lets the user load a page again after a fault of the service', async () => {
    const { page } = await openConsole(path('network'), { expectedComplaints: /status of 500/ });
    await page.getByRole('heading', { name: 'Not locked' }).waitFor();
    await page.route('**/projects?**', (route) => route.fulfill(failure(500, 'internal server error')));
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/projects?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('rowheader', { name: 'Default Project' }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  it('waits for the first attempt of an action that the service still executes', async () => {
    const { page } = await openConsole(path('network'), { expectedComplaints: /status of 409/ });
    const keys: (string | undefined)[] = [];
    await page.route('**/actions/lock', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      return route.fulfill(failure(409, 'The first request is still running.', { 'retry-after': '1' }));
    });
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lock' }).click();
    await page.getByRole('heading', { name: /^Locked by/ }).waitFor();
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });

  it('submits an action without any response again as the same one, and a changed one as another one', async () => {
    await createWorkspace(organization, { name: 'unreachable' });
    const { page } = await openConsole(path('unreachable'), { expectedComplaints: /ERR_FAILED/ });
    const keys: (string | undefined)[] = [];
    page.on('request', (sent) => {
      if (sent.url().endsWith('/actions/lock')) keys.push(sent.headers()['idempotency-key']);
    });
    const dialog = page.getByRole('dialog');
    const lock = page.getByRole('button', { name: 'Lock', exact: true });
    const failed = dialog.getByRole('alert').getByText('does not respond');
    await page.route('**/actions/lock', (route) => route.abort());
    await lock.click();
    await lock.last().click();
    await failed.waitFor();
    await lock.last().click();
    await failed.waitFor({ state: 'detached' });
    await failed.waitFor();
    expect(new Set(keys).size).toBe(1);
    await dialog.getByLabel('Reason').fill('another request');
    await page.unroute('**/actions/lock');
    await lock.last().click();
    await page.getByRole('heading', { name: /^Locked by/ }).waitFor();
    expect(new Set(keys).size).toBe(2);
  });

  it('loads what has failed when the service is back, although its first response is an error', async () => {
    const { page } = await openConsole(path('network'), { expectedComplaints: /ERR_FAILED|status of 429/ });
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('alert').getByText('Check your connection').waitFor();
    await page.route('**/api/v2/ping', (route) => route.fulfill(failure(429, 'Too many requests.')));
    await page.route('**/projects?**', (route) => route.continue());
    await page.getByRole('rowheader', { name: 'Default Project' }).waitFor();
    await expect.poll(() => page.url()).toBe(addressOf(`/app/${organization}/projects`));
  });
});
