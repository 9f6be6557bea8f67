import { expect, it } from 'vitest';
import {
  addressOf,
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  openConsole,
  ownerToken,
  request,
} from '../support/console/console.ts';

/** Responses to rejected tokens, which these tests provoke. */
const unauthorized = /401 \(Unauthorized\)/;

describeConsole('signing in to the web console', () => {
  it('shows a rejected token at its field, and continues with the linked page after the right one', async () => {
    const organization = await createOrganization();
    await createWorkspace(organization, { name: 'network' });
    const { page, requests } = await openConsole(`/app/${organization}/workspaces?name=net`, {
      token: false,
      expectedComplaints: unauthorized,
    });
    const token = page.getByLabel('Token');
    await token.waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    expect((await token.boundingBox())?.width).toBeGreaterThan(300);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectAccessible(page);
    await token.fill('hfu_mistyped');
    await token.press('Enter');
    await page.getByText('The service does not accept this token.').waitFor();
    await expect.poll(() => token.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);

    await token.fill(ownerToken());
    await token.press('Enter');
    await page.getByRole('link', { name: 'network' }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?name=net');
    // Apart from the two tokens that were tried, the page needs one request.
    await page.waitForLoadState('networkidle');
    const paths = requests.filter((url) => url.includes('/api/v2/')).map((url) => new URL(url).pathname);
    expect(paths).toEqual([
      '/api/v2/organizations',
      '/api/v2/organizations',
      `/api/v2/organizations/${organization}/workspaces`,
    ]);
  });

  it('ends the session when the token has been revoked, and continues where it was', async () => {
    const organization = await createOrganization();
    const account = await request('/account/details');
    const { id, attributes } = await create(
      `/users/${account.data.id}/authentication-tokens`,
      'authentication-tokens',
      { description: organization },
    );
    const { page } = await openConsole(`/app/${organization}/locks`, {
      token: attributes.token,
      expectedComplaints: unauthorized,
    });
    const accepted = page.getByText('No workspace is locked');
    await accepted.waitFor();
    await request(`/authentication-tokens/${id}`, { method: 'DELETE' });
    const hasEnded = page.getByText('Your session has ended');
    await expect
      .poll(
        async () => {
          await page.reload();
          await accepted.or(hasEnded).waitFor();
          // Each function caches the token for itself, so a later response can still end the session.
          await page.waitForLoadState('networkidle');
          return hasEnded.count();
        },
        { interval: 1_000 },
      )
      .toBe(1);
    await expect.poll(() => new URL(page.url()).pathname).toBe('/app/sign-in');
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('holdfast.token'))).toBeNull();

    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    await page.goBack();
    expect(page.url()).not.toContain('sign-in');
  });

  it('leads to the other organizations when one accepts no tokens of users, in place of signing in again and again', async () => {
    const other = await createOrganization();
    const closed = await createOrganization();
    const attributes = { 'user-tokens-enabled': false };
    const body = { data: { type: 'organizations', attributes } };
    await request(`/organizations/${closed}`, { method: 'PATCH', body });
    const { page } = await openConsole(`/app/${closed}/locks`, { expectedComplaints: unauthorized });
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await page.getByText(`The organization ${closed} does not accept your token.`).waitFor();
    await page.getByRole('link', { name: other, exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('holdfast.token'))).toBe(ownerToken());
  });

  it('signs in and keeps preferences until a reload where the browser forbids storage', async () => {
    const { page } = await openConsole(`/app/${await createOrganization()}/workspaces`, { token: false });
    await page.addInitScript(() => {
      const forbid = () => {
        throw new DOMException('Storage is forbidden', 'SecurityError');
      };
      for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, { get: forbid });
    });
    await page.reload();
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Workspaces', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Account and display' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  it('marks the token of the session among those of the user, and signs out when it is revoked', async () => {
    const organization = await createOrganization();
    const account = await request('/account/details');
    const path = `/users/${account.data.id}/authentication-tokens`;
    const { attributes } = await create(path, 'authentication-tokens', { description: organization });
    const { page } = await openConsole('/app/settings/tokens', { token: attributes.token });
    const marked = page.getByRole('row').filter({ hasText: 'this session' });
    await marked.getByText(organization).waitFor();
    await expect.poll(() => marked.count()).toBe(1);
    await page.getByRole('button', { name: 'Organizations' }).click();
    await page.getByRole('menuitem', { name: organization, exact: true }).click();
    await page.getByText('There are no workspaces yet').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: `Revoke ${organization}`, exact: true }).click();
    await page.getByText('You are signed in with this token: this signs you out.').waitFor();
    await page.getByRole('button', { name: 'Revoke and sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('holdfast.token'))).toBeNull();
  });

  it('shows how to install the command line, from the command palette and from the menu of the account, also outside of an organization', async () => {
    const { page } = await openConsole(`/app/${await createOrganization()}/workspaces`);
    await page.getByText('There are no workspaces yet').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Name' }).fill('command');
    await page.getByRole('option', { name: /Command line/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Command line' }).waitFor();
    const { origin } = new URL(addressOf('/'));
    for (const line of [`${origin}/cli/holdfast.mjs.sha256`, `holdfast login ${origin}`])
      await page.getByText(line).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Your tokens' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your tokens' }).waitFor();
    await page.getByRole('button', { name: 'Account and display' }).click();
    await page.getByRole('menuitem', { name: 'Command line' }).click();
    await page.getByRole('heading', { level: 1, name: 'Command line' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Name' }).fill('your');
    await page.getByRole('option', { name: /Your tokens/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Your tokens' }).waitFor();
  });

  it('never continues with another host', async () => {
    const { page } = await openConsole('/app/sign-in?to=%2F%2Fexample.com%2F', { token: false });
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await page.getByRole('banner').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/app/);
  });

  it('forgets the token and the data on sign-out', async () => {
    const { page } = await openConsole(`/app/${await createOrganization()}/workspaces`);
    await page.getByRole('button', { name: 'Account and display' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('holdfast.token'))).toBeNull();
  });
});
