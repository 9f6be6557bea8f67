import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
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

const CLIENT = { client_id: 'terraform-cli' };

// biome-ignore lint/suspicious/noExplicitAny: the documents of two endpoints.
const sendForm = async (path: string, form: Readonly<Record<string, string>>): Promise<any> =>
  (await fetch(addressOf(path), { method: 'POST', body: new URLSearchParams(form) })).json();

/** Begins the login of a machine. */
const begin = (): Promise<{ readonly device_code: string; readonly user_code: string }> =>
  sendForm('/oauth2/device', CLIENT);
const poll = (device_code: string): Promise<{ readonly access_token?: string; readonly error?: string }> =>
  sendForm('/oauth2/token', {
    ...CLIENT,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code,
  });

const code = (page: Page) => page.getByRole('textbox', { name: 'Code' });
const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true });

describeConsole('the login of a machine without a browser in the web console', () => {
  it('is allowed with the keyboard alone, after the user has signed in and seen where the request comes from', async () => {
    const { device_code, user_code } = await begin();
    const { page } = await openConsole('/app/device', { token: false });
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await code(page).waitFor();
    await expect.poll(() => code(page).evaluate((input) => input === document.activeElement)).toBe(true);
    await expectAccessible(page);
    await page.keyboard.type(user_code.toLowerCase().replace('-', ''));
    await page.keyboard.press('Enter');
    await allow(page).waitFor();
    const { attributes } = (await request('/account/details')).data;
    for (const text of [attributes.username, new URL(addressOf('/')).host, 'terraform-cli', '127.0.0.1'])
      await page.getByText(text, { exact: true }).first().waitFor();
    for (const text of ['Requested', 'Token expires']) await page.getByText(text, { exact: true }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScrolling(page);
    await takeScreenshots(page, 'device-decision');
    expect(await poll(device_code)).toMatchObject({ error: 'authorization_pending' });
    // The focus is on the heading of the decision, so that the next control is the first button.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toMatch(/^H[12]$/);
    await page.keyboard.press('Tab');
    await expect.poll(() => allow(page).evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('The login is allowed').waitFor();
    await expectAccessible(page);
    const { access_token: token } = await poll(device_code);
    expect((await request('/account/details', { token: token ?? '' })).data.attributes.username).toBe(
      attributes.username,
    );
  });

  it('is denied by the user', async () => {
    const { device_code, user_code } = await begin();
    const { page } = await openConsole('/app/device');
    await code(page).fill(user_code);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The login is denied').waitFor();
    expect(await poll(device_code)).toMatchObject({ error: 'access_denied' });
  });

  it('says that a code is wrong, keeps what was typed, and accepts the right one afterwards', async () => {
    const { user_code } = await begin();
    const { page } = await openConsole('/app/device', { expectedComplaints: /404/ });
    await code(page).fill('BBBB-BBBB');
    await page.keyboard.press('Enter');
    await page.getByText('No login waits with this code').waitFor();
    await expect.poll(() => code(page).inputValue()).toBe('BBBB-BBBB');
    await expectAccessible(page);
    await code(page).fill(user_code);
    await page.keyboard.press('Enter');
    await allow(page).waitFor();
  });

  it('begins again when the login was decided elsewhere meanwhile', async () => {
    const { user_code } = await begin();
    const { page } = await openConsole('/app/device', { expectedComplaints: /404/ });
    await code(page).fill(user_code);
    await page.keyboard.press('Enter');
    await allow(page).waitFor();
    const response = await fetch(addressOf('/oauth2/device/decision'), {
      method: 'POST',
      headers: { authorization: `Bearer ${ownerToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_code, decision: 'deny' }),
    });
    expect(response.status).toBe(200);
    await allow(page).click();
    await page.getByText('No login waits with this code').waitFor();
    await page.getByRole('button', { name: 'Type another code' }).click();
    await expect.poll(() => code(page).inputValue()).toBe('');
  });

  it('has no code from the address of the page', async () => {
    const { user_code } = await begin();
    const { page } = await openConsole(`/app/device?user_code=${user_code}&code=${user_code}#${user_code}`);
    await code(page).waitFor();
    await expect.poll(() => code(page).inputValue()).toBe('');
    await expect.poll(() => allow(page).count()).toBe(0);
  });

  it('cannot be allowed with the token of a team', async () => {
    const organization = await createOrganization();
    const teams = await request(`/organizations/${organization}/teams`);
    const path = `/teams/${teams.data[0].id}/authentication-token`;
    const { attributes } = (await request(path, { method: 'POST' })).data;
    const { page } = await openConsole('/app/device', { token: attributes.token, expectedComplaints: /404/ });
    await page.getByText('You are not signed in as a user').waitFor();
    await expect.poll(() => code(page).count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in as a user' }).click();
    await page.getByLabel('Token').fill(ownerToken());
    await page.keyboard.press('Enter');
    await code(page).waitFor();
  });
});
