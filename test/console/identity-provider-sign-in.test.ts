import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mapDemoGroups } from '../../infra/local/service/demo-groups.ts';
import { type Service, startService } from '../../infra/local/service/service.ts';
import {
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  takeScreenshots,
} from '../support/console/console.ts';

/** Requests without a session, with a token or a value that is rejected, and without a response, which these tests provoke. */
const provoked = /401 \(Unauthorized\)|422 \(Unprocessable|ERR_FAILED/;

const tokenOf = (page: Page) => page.evaluate(() => sessionStorage.getItem('holdfast.token'));

describeConsole('signing in to the web console at an identity provider', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'holdfast-sign-in-'));
  let service: Service;

  beforeAll(async () => {
    service = await startService({ dataFolder, signIn: true });
    await mapDemoGroups(service, (step) => {
      throw new Error(step);
    });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  const open = (path: string) => openConsole(service.origin + path, { token: false, expectedComplaints: provoked });

  const signIn = async (page: Page, person: string) => {
    await page.getByRole('link', { name: 'Sign in with People of the local service' }).click();
    await page.getByRole('button', { name: person }).click();
  };

  it('offers each identity provider, and a token as another way', async () => {
    const { page } = await open('/app/demo/locks');
    const link = page.getByRole('link', { name: 'Sign in with People of the local service' });
    await link.waitFor();
    await expect.poll(() => page.getByLabel('Token').isVisible()).toBe(false);
    await expectAccessible(page);
    await takeScreenshots(page, 'sign-in-providers');
    await page.getByText('Sign in with a token').click();
    await page.getByLabel('Token').fill(service.token ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    await expect.poll(() => tokenOf(page)).toBe(service.token);
  });

  it('continues with the page that was opened, also in another tab, with a token of its own once a renewal is due', async () => {
    const { page } = await open('/app/demo/workspaces?name=net');
    await signIn(page, 'Grace');
    await page.getByRole('heading', { name: 'Workspaces', exact: true }).waitFor();
    await expect
      .poll(() => new URL(page.url()).pathname + new URL(page.url()).search)
      .toBe('/app/demo/workspaces?name=net');
    await expect.poll(() => tokenOf(page)).toMatch(/^hfc_/);
    await page.evaluate(() => sessionStorage.setItem('holdfast.renewal', '1'));
    const tab = await page.context().newPage();
    await tab.goto(`${service.origin}/app/demo/locks`);
    await tab.getByRole('heading', { name: 'Locks' }).waitFor();
    await expect.poll(() => tokenOf(tab)).toMatch(/^hfc_/);
    await expect.poll(() => tokenOf(tab)).not.toBe(await tokenOf(page));
  });

  it('signs all tabs of the session out together, also those whose token was renewed', async () => {
    const { page } = await open('/app/demo/locks');
    await signIn(page, 'Grace');
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${service.origin}/app/demo/locks`);
    await tab.getByRole('heading', { name: 'Locks' }).waitFor();
    await tab.evaluate(() => sessionStorage.setItem('holdfast.renewal', '1'));
    await tab.getByRole('link', { name: 'Projects' }).click();
    await tab.getByText('Default Project').waitFor();
    await expect.poll(() => tokenOf(tab)).not.toBe(await tokenOf(page));
    await page.getByRole('button', { name: 'Account and display' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await tab.getByText('You have signed out in another tab').waitFor();
    await tab.getByRole('link', { name: 'Sign in with People of the local service' }).waitFor();
    await expect.poll(() => tokenOf(tab)).toBeNull();
  });

  it('signs one tab in with another token, and leaves the session of the other tab alone', async () => {
    const { page } = await open('/app/demo/locks');
    await signIn(page, 'Grace');
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${service.origin}/app/demo/locks`);
    await tab.getByRole('button', { name: 'Account and display' }).click();
    await tab.getByRole('menuitem', { name: 'Sign in with another token' }).click();
    await tab.getByLabel('Token').fill(service.token ?? '');
    await expect
      .poll(() => tab.getByRole('link', { name: 'Sign in with People of the local service' }).count())
      .toBe(0);
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'Locks' }).waitFor();
    await expect.poll(() => tokenOf(tab)).toBe(service.token);
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('link', { name: 'Default Project' }).waitFor();
    await expect.poll(() => tokenOf(page)).toMatch(/^hfc_/);
  });

  it('renews the token for an active user only, when half of its lifetime is over', async () => {
    const { page, requests } = await open('/app/demo/locks');
    await signIn(page, 'Grace');
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    const first = await tokenOf(page);
    const countRenewals = () => requests.filter((url) => url.endsWith('/sign-in/session')).length;
    const before = countRenewals();
    await page.evaluate(() => sessionStorage.setItem('holdfast.renewal', '1'));
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('Default Project').waitFor();
    expect(countRenewals()).toBe(before + 1);
    const second = await tokenOf(page);
    expect(second).toMatch(/^hfc_/);
    expect(second).not.toBe(first);
    // Nobody has pressed anything since.
    await page.evaluate(() => {
      sessionStorage.setItem('holdfast.renewal', '1');
      document.querySelector<HTMLAnchorElement>('a[href$="/teams"]')?.click();
    });
    await page.getByRole('heading', { name: 'Teams' }).waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(() => tokenOf(page)).toBe(second);
  });

  it('ends the session on sign-out, and does not sign in again by itself', async () => {
    const { page } = await open('/app/demo/locks');
    await signIn(page, 'Grace');
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    const token = await tokenOf(page);
    await page.route('**/sign-in/session', (route) => route.abort());
    const leave = async () => {
      await page.getByRole('button', { name: 'Account and display' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    await leave();
    await page.getByText('You are still signed in').waitFor();
    await expect.poll(() => tokenOf(page)).toBe(token);
    await page.unroute('**/sign-in/session');
    await leave();
    // The identity provider has a page of its own, on which its session ends, too.
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in with People of the local service' }).waitFor();
    await expect.poll(() => tokenOf(page)).toBeNull();
    await expect
      .poll(async () => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${service.baseUrl}/organizations`, { headers })).status;
      })
      .toBe(401);
  });

  it('lists the sessions and the linked identities of the user, and ends sessions with their tokens', async () => {
    const path = '/app/settings/sessions';
    const sessions = (page: Page) => page.getByRole('row').filter({ hasText: 'local' });
    const browsers = [await open(path), await open(path), await open(path)] as const;
    const [first, second, third] = browsers.map(({ page }) => page) as [Page, Page, Page];
    for (const { page } of browsers) {
      await signIn(page, 'Joan');
      await page.getByRole('heading', { name: 'Your sessions' }).waitFor();
    }
    await first.reload();
    await expect.poll(() => sessions(first).count()).toBe(3);
    const own = sessions(first).filter({ hasText: /^Chrome on \w+this session/ });
    await expect.poll(() => own.count()).toBe(1);
    await expectAccessible(first);
    await first.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(first);

    // The newest session is the first of the list.
    await sessions(first).first().getByRole('button', { name: 'End' }).click();
    await first.getByText('1 session will end.').waitFor();
    await expectAccessible(first);
    await first.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await first.getByText('Ended 1 session.').waitFor();
    await expect.poll(() => sessions(first).count()).toBe(2);
    await expect
      .poll(() => first.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toMatch(/^End the session/);
    const isSignedOut = async (page: Page) => {
      await page.reload();
      await page.waitForLoadState('networkidle');
      return page.getByText('Your session has ended').count();
    };
    await expect.poll(() => isSignedOut(third), { interval: 1_000 }).toBe(1);
    await expect.poll(() => isSignedOut(second)).toBe(0);

    await first.getByRole('button', { name: 'End all others' }).click();
    await first.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await expect.poll(() => sessions(first).count()).toBe(1);
    await expect.poll(() => first.getByRole('button', { name: 'End all others' }).count()).toBe(0);
    await expect.poll(() => isSignedOut(second), { interval: 1_000 }).toBe(1);

    await first.getByRole('button', { name: 'Account and display' }).click();
    await first.getByRole('menuitem', { name: 'Linked identities' }).click();
    await first.getByRole('cell', { name: 'person-3' }).waitFor();
    await expectAccessible(first);
    await expectNoSidewaysScrolling(first);
    await first.goBack();
    await own.getByRole('button', { name: 'End' }).click();
    await first.getByText('this signs you out').waitFor();
    await first.getByRole('button', { name: 'End and sign out' }).click();
    await first.getByRole('link', { name: 'Sign in with People of the local service' }).waitFor();
    await expect.poll(() => tokenOf(first)).toBeNull();
  });

  it('gives teams and the owners groups of identity providers, and limits sessions', async () => {
    const { page } = await open('/app/demo/teams');
    await signIn(page, 'Ada');
    await page.getByRole('row', { name: /^builders .* builders$/ }).waitFor();
    await page.getByRole('row', { name: /^owners .* owners$/ }).waitFor();
    await page.getByRole('button', { name: 'New team' }).click();
    await page.getByLabel('Name').fill('auditors');
    await page.getByLabel('Group at identity providers (optional)').fill('security');
    await expectAccessible(page);
    await takeScreenshots(page, 'team-group');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'auditors' }).waitFor();
    const group = page.locator('.fact').filter({ hasText: 'Group at identity providers' }).locator('dd');
    await expect.poll(() => group.textContent()).toBe('security');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Group at identity providers (optional)').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => group.textContent()).toBe('none');

    await page.getByRole('link', { name: 'Organization settings' }).click();
    await expect.poll(() => page.getByLabel(/^Group of the owners/).inputValue()).toBe('owners');
    const idle = page.getByLabel('Idle sessions end after (minutes)');
    await idle.fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.field-error').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'organization-settings-providers', true);
    for (const minutes of ['30', '']) {
      await idle.fill(minutes);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/^Changed the settings of /).waitFor();
      await page.reload();
      await expect.poll(() => idle.inputValue()).toBe(minutes);
    }
  });

  /** Signs another person in in a second tab of the browser of a page, and then makes the renewal of the token of the page due. */
  const replacePerson = async (page: Page, person: string) => {
    const tab = await page.context().newPage();
    // The identity provider forgets whom it has signed in.
    await page.context().clearCookies({ domain: 'localhost' });
    await tab.goto(`${service.origin}/sign-in/local?to=/app/demo/locks`);
    await tab.getByRole('button', { name: person }).click();
    await tab.getByRole('heading', { name: 'Locks' }).waitFor();
    // It has signed in, and does not take over the token of the page.
    await expect.poll(() => tokenOf(tab)).not.toBe(await tokenOf(page));
    await tab.close();
    await page.evaluate(() => sessionStorage.setItem('holdfast.renewal', '1'));
  };

  const expectSignedInAs = async (page: Page, username: string) => {
    await page.getByRole('button', { name: 'Account and display' }).click();
    await page.getByText(`Signed in as ${username}`).waitFor();
  };

  it('continues for another person who has signed in in another tab on demand only, and starts afresh', async () => {
    const { page } = await open('/app/demo/locks');
    await signIn(page, 'Ada');
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    await replacePerson(page, 'Grace');
    const question = page.getByText('This browser is signed in as grace');
    // The page reads the locks again when the other tab closes, and may ask already then.
    await page.getByRole('link', { name: 'Projects' }).or(question).click();
    await question.waitFor();
    await expect.poll(() => tokenOf(page)).toBeNull();
    await expectAccessible(page);
    await takeScreenshots(page, 'sign-in-other-person');
    await page.reload();
    await page.evaluate(() => Reflect.set(globalThis, 'isSamePage', true));
    await page.getByRole('button', { name: 'Continue as grace' }).click();
    await page.getByRole('heading', { name: /^(Projects|Locks)$/ }).waitFor();
    // Nothing that the page of the other person had in memory is left.
    expect(await page.evaluate(() => Reflect.get(globalThis, 'isSamePage'))).toBeUndefined();
    await expectSignedInAs(page, 'grace');
  });

  it('never sends the entries of a form with the token of another person', async () => {
    const { page } = await open('/app/demo/projects');
    await signIn(page, 'Ada');
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('of-ada');
    await page.waitForLoadState('networkidle');
    await replacePerson(page, 'Grace');
    const tokens: (string | undefined)[] = [];
    page.on('request', (sent) => {
      if (sent.method() === 'POST' && sent.url().endsWith('/projects')) tokens.push(sent.headers()['authorization']);
    });
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('Your entries are lost then.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Continue as grace' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await expectSignedInAs(page, 'grace');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(tokens.filter((token) => token !== undefined)).toEqual([]);
  });

  it('keeps the entries of a form when the token is rejected, and continues with the session of the browser', async () => {
    const { page } = await open('/app/demo/projects');
    await signIn(page, 'Ada');
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('kept');
    // The account is read while the form is open, so that the user is known afterwards.
    await page.waitForLoadState('networkidle');
    await page.route('**/api/v2/organizations/demo/projects', (route) =>
      route.fulfill({ status: 401, contentType: 'application/vnd.api+json', body: '{"errors":[]}' }),
    );
    const renewed = page.waitForResponse('**/sign-in/session');
    await page.getByRole('button', { name: 'Create' }).click();
    await renewed;
    await page.unroute('**/api/v2/organizations/demo/projects');
    await expect.poll(() => page.getByRole('heading', { name: 'Sign in again' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'kept' }).waitFor();
  });

  it('signs in once with a link of an operator, after a click, and keeps the link out of the history', async () => {
    const admin = async (command: object) => {
      const outcome = await service.functions.invoke('holdfast-admin', JSON.stringify(command));
      return JSON.parse(outcome.kind === 'succeeded' ? outcome.payload : '{}');
    };
    await admin({ command: 'create-user', username: 'linda', email: 'linda@example.com' });
    const { url } = await admin({ command: 'sign-in-link', username: 'linda' });
    const { pathname, hash } = new URL(url);
    const { page } = await open(pathname + hash);
    const button = page.getByRole('button', { name: 'Sign in as linda' });
    await button.waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 800 });
    await expectNoSidewaysScrolling(page);
    await takeScreenshots(page, 'sign-in-link');
    await button.click();
    await expectSignedInAs(page, 'linda');
    const again = await openConsole(service.origin + pathname + hash, { token: false, expectedComplaints: /400/ });
    await again.page.getByRole('button', { name: 'Sign in as linda' }).click();
    await again.page.getByText('was used before').waitFor();
    const cut = await open(pathname);
    await cut.page.getByText('The link is incomplete').waitFor();
  });
});
