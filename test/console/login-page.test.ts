import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import {
  addressOf,
  createOrganization,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  ownerToken,
  request,
  takeScreenshots,
} from '../support/console/console.ts';

const VERIFIER = 'v'.repeat(46);
const challenge = createHash('sha256').update(VERIFIER).digest('base64url');

/** A command line that waits for the browser, on one of the ports of logins. */
const waitForBrowser = async () => {
  const received: URL[] = [];
  const server = createServer((incoming, reply) => {
    received.push(new URL(incoming.url ?? '', 'http://localhost'));
    reply.setHeader('content-type', 'text/html').end('<title>done</title><p>Logged in.</p>');
  });
  onTestFinished(() => void server.close());
  for (let port = 10_000; port <= 10_010; port++) {
    const isListening = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isListening) break;
  }
  const { port } = server.address() as AddressInfo;
  const search = new URLSearchParams({
    response_type: 'code',
    client_id: 'terraform-cli',
    redirect_uri: `http://localhost:${port}/login`,
    state: 'the-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return { port, received, authorization: `/oauth2/authorize?${search}` };
};

/** Changes a code for a token, as the command line does. @returns the response. */
const redeem = async (port: number, code: string | null): Promise<{ readonly access_token: string }> => {
  const response = await fetch(addressOf('/oauth2/token'), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'terraform-cli',
      code: code ?? '',
      redirect_uri: `http://localhost:${port}/login`,
      code_verifier: VERIFIER,
    }),
  });
  return (await response.json()) as { readonly access_token: string };
};

const title = (page: Page) => page.getByRole('heading', { level: 1, name: 'Sign in on the command line' });

describeConsole('the login of a command line in the web console', () => {
  it('continues after the user has signed in, and brings a code to the command line when the user allows it', async () => {
    const { port, received, authorization } = await waitForBrowser();
    const { page, response } = await openConsole(authorization, { token: false });
    expect(response?.headers()['content-security-policy']).toContain("form-action 'self'");
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await title(page).waitFor();
    const { attributes } = (await request('/account/details')).data;
    await page.getByText(attributes.username, { exact: true }).first().waitFor();
    await page.getByText(`which waits on port ${port}`).waitFor();
    await page.getByText('Expires', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScrolling(page);
    await takeScreenshots(page, 'login');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('Logged in.').waitFor();
    const [{ searchParams } = new URL('http://nothing')] = received.filter(({ pathname }) => pathname === '/login');
    expect(searchParams.get('state')).toBe('the-state');
    const { access_token: token } = await redeem(port, searchParams.get('code'));
    expect((await request('/account/details', { token })).data.attributes.username).toBe(attributes.username);
  });

  it('redirects nowhere when the user denies it, and says what to do in the terminal', async () => {
    const { received, authorization } = await waitForBrowser();
    const { page, requests } = await openConsole(authorization);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('press Ctrl-C in the terminal').waitFor();
    expect(requests.filter((url) => url.includes('localhost:100') && !url.startsWith(addressOf('/')))).toEqual([]);
    expect(received).toEqual([]);
    await expectAccessible(page);
  });

  it('creates a token to copy for a command line on another computer, with the same expiry', async () => {
    const { received, authorization } = await waitForBrowser();
    const { page } = await openConsole(authorization);
    await page.getByRole('button', { name: 'Copy a token instead' }).click();
    const dialog = page.getByRole('dialog', { name: 'New token' });
    const token = await dialog.getByText(/^hfu_/).textContent();
    const { meta } = await request('/account/details', { token: token?.trim() ?? '' });
    const { data } = await request(`/authentication-tokens/${meta['token-id']}`);
    expect(Date.parse(data.attributes['expired-at']) - Date.now()).toBeGreaterThan(11 * 3_600_000);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(received).toEqual([]);
  });

  it('cannot be allowed with the token of a team', async () => {
    const organization = await createOrganization();
    const teams = await request(`/organizations/${organization}/teams`);
    const path = `/teams/${teams.data[0].id}/authentication-token`;
    const { attributes } = (await request(path, { method: 'POST' })).data;
    const { authorization } = await waitForBrowser();
    const { page } = await openConsole(authorization, { token: attributes.token, expectedComplaints: /404/ });
    await page.getByText('You are not signed in as a user').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in as a user' }).click();
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  });

  it('shows a page without a way on when the request of the command line is wrong', async () => {
    const { authorization } = await waitForBrowser();
    const { page, response } = await openConsole(authorization.replace('localhost', '127.0.0.1'), {
      expectedComplaints: /400/,
    });
    expect(response?.status()).toBe(400);
    await page.getByRole('heading', { name: 'The login cannot continue' }).waitFor();
    await expect.poll(() => page.locator('a, form, script').count()).toBe(0);
  });

  it('explains itself to whoever opens it without a command line', async () => {
    const { page } = await openConsole('/app/settings/login');
    await page.getByText('There is no login').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0);
  });
});
