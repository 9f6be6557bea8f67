import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  create,
  createOrganization,
  describeConsole,
  expectAccessible,
  openConsole,
  ownerToken,
  request,
} from '../support/console/console.ts';

/** Responses to rejected tokens, which these tests provoke. */
const unauthorized = /401 \(Unauthorized\)/;

/** Name of the channel between the tabs. */
const CHANNEL = 'holdfast.session';

const tokenOf = (page: Page) => page.evaluate(() => sessionStorage.getItem('holdfast.token'));

interface NewTab {
  /** Number of offers from other tabs for which the test waits, however slow they are. */
  readonly offers: number;
  /** Whether the sign-in page may be shown. */
  readonly mayShowSignIn?: boolean;
}

/** Opens a page in a new tab, in which nobody has signed in. Its clock stands still until it has got the offers of other tabs. */
const openTab = async (context: BrowserContext, path: string, { offers, mayShowSignIn = false }: NewTab) => {
  const tab = await context.newPage();
  await tab.clock.install();
  await tab.clock.pauseAt(Date.now() + 60_000);
  await tab.addInitScript((name) => {
    Object.assign(globalThis, { offers: 0, sawSignIn: false });
    new BroadcastChannel(name).addEventListener('message', ({ data }) => {
      if (data.kind === 'offer') Reflect.set(globalThis, 'offers', Reflect.get(globalThis, 'offers') + 1);
    });
    new MutationObserver(() => {
      if (document.querySelector('.sign-in') !== null) Reflect.set(globalThis, 'sawSignIn', true);
    }).observe(document, { childList: true, subtree: true });
  }, CHANNEL);
  await tab.goto(addressOf(path));
  await expect.poll(() => tab.evaluate(() => Reflect.get(globalThis, 'offers'))).toBe(offers);
  await tab.clock.resume();
  if (!mayShowSignIn) {
    await tab.getByRole('banner').waitFor();
    expect(await tab.evaluate(() => Reflect.get(globalThis, 'sawSignIn'))).toBe(false);
  }
  return tab;
};

/** Opens a page in a new tab that has a token of its own. */
const openTabWith = async (context: BrowserContext, token: string, path: string) => {
  const tab = await context.newPage();
  await tab.goto(addressOf('/.well-known/terraform.json'));
  await tab.evaluate((value) => sessionStorage.setItem('holdfast.token', value), token);
  await tab.goto(addressOf(path));
  await tab.getByRole('banner').waitFor();
  return tab;
};

const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'Account and display' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
};

describeConsole('several tabs of the web console', () => {
  let path: string;
  let otherToken: string;

  beforeAll(async () => {
    const organization = await createOrganization();
    path = `/app/${organization}/locks`;
    const account = await request('/account/details');
    const tokens = `/users/${account.data.id}/authentication-tokens`;
    otherToken = (await create(tokens, 'authentication-tokens', { description: organization })).attributes.token;
  });

  it('sign a new tab in without the sign-in page, and store the token in tabs only', async () => {
    const { page } = await openConsole(path);
    const tab = await openTab(page.context(), path, { offers: 1 });
    await tab.getByText('No workspace is locked').waitFor();
    await expect.poll(() => tokenOf(tab)).toBe(ownerToken());
    expect(await tab.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('hfu_');
    await page.close();
    await tab.reload();
    await tab.getByText('No workspace is locked').waitFor();
  });

  it('sign a tab in that a command line opens', async () => {
    const { page } = await openConsole(path);
    const search = new URLSearchParams({ port: '10000', state: 'the-state', code_challenge: 'c'.repeat(43) });
    for (const [address, title] of [
      [`/app/settings/login?${search}`, 'Sign in on the command line'],
      ['/app/device', 'Sign in on a machine without a browser'],
    ] as const) {
      const tab = await openTab(page.context(), address, { offers: 1 });
      await tab.getByRole('heading', { level: 1, name: title }).waitFor();
      await tab.close();
    }
  });

  it('tabs keep different tokens, and a new tab gets that of the tab which was used last', async () => {
    const { page } = await openConsole(path);
    const other = await openTabWith(page.context(), otherToken, path);
    await page.keyboard.press('Shift');
    const first = await openTab(page.context(), path, { offers: 2 });
    await expect.poll(() => tokenOf(first)).toBe(ownerToken());
    await first.close();
    await other.keyboard.press('Shift');
    const second = await openTab(page.context(), path, { offers: 2 });
    await expect.poll(() => tokenOf(second)).toBe(otherToken);
    expect([await tokenOf(page), await tokenOf(other)]).toEqual([ownerToken(), otherToken]);
  });

  it('sign out together if they have the same token, and do not take over the token of another tab afterwards', async () => {
    const { page } = await openConsole(path);
    const same = await openTab(page.context(), path, { offers: 1 });
    const docs = await page.context().newPage();
    await docs.goto(addressOf('/.well-known/terraform.json'));
    await docs.evaluate((value) => sessionStorage.setItem('holdfast.token', value), ownerToken());
    await docs.goto(addressOf('/docs'));
    const other = await openTabWith(page.context(), otherToken, path);
    await signOut(page);
    await same.getByText('You have signed out in another tab').waitFor();
    await expectAccessible(same);
    await expect.poll(() => tokenOf(same)).toBeNull();
    await expect.poll(() => tokenOf(docs)).toBeNull();
    await page.goto(addressOf(path));
    await page.getByLabel('Token').waitFor();
    expect([await tokenOf(page), await tokenOf(other)]).toEqual([null, otherToken]);
  });

  it('sign in with another token in one tab on demand', async () => {
    const { page } = await openConsole(path);
    const tab = await openTab(page.context(), path, { offers: 1 });
    await tab.getByRole('button', { name: 'Account and display' }).click();
    await tab.getByRole('menuitem', { name: 'Sign in with another token' }).click();
    await tab.getByText('This tab only').waitFor();
    await expectAccessible(tab);
    await tab.getByLabel('Token').fill(otherToken);
    await tab.keyboard.press('Enter');
    await tab.getByText('No workspace is locked').waitFor();
    expect([await tokenOf(page), await tokenOf(tab)]).toEqual([ownerToken(), otherToken]);
  });

  it('show the sign-in page in a new tab after the service has rejected the token of another one', async () => {
    const { page } = await openConsole(path, { expectedComplaints: unauthorized });
    await page.getByText('No workspace is locked').waitFor();
    await page.evaluate(() => sessionStorage.setItem('holdfast.token', 'hfu_expired'));
    const tab = await openTab(page.context(), path, { offers: 1, mayShowSignIn: true });
    await tab.getByText('Your session has ended').waitFor();
    await page.evaluate((token) => sessionStorage.setItem('holdfast.token', token), ownerToken());
    // The tab stays with its user, whoever else is signed in.
    await tab.goto(addressOf(path));
    await tab.getByLabel('Token').fill(otherToken);
    await tab.keyboard.press('Enter');
    await tab.getByText('No workspace is locked').waitFor();
    expect([await tokenOf(page), await tokenOf(tab)]).toEqual([ownerToken(), otherToken]);
  });

  /** Opens a tab that sends messages after each request for a session. */
  const openResponder = async (context: BrowserContext, kinds: readonly string[]) => {
    const responder = await context.newPage();
    await responder.goto(addressOf('/.well-known/terraform.json'));
    await responder.evaluate(
      ([name, responses, token]) => {
        const channel = new BroadcastChannel(name);
        const respond = () => {
          for (const kind of responses) channel.postMessage({ kind, token, usedAt: Date.now() });
        };
        channel.addEventListener('message', ({ data }) => data.kind === 'request' && respond());
        Object.assign(globalThis, { respond });
      },
      [CHANNEL, kinds, ownerToken()] as const,
    );
    return responder;
  };

  it('do not sign a new tab in with a session that ends while it is offered', async () => {
    for (const kinds of [
      ['offer', 'end'],
      ['end', 'offer'],
    ]) {
      const { page } = await openConsole('/.well-known/terraform.json', { token: false });
      await openResponder(page.context(), kinds);
      const tab = await openTab(page.context(), path, { offers: 1, mayShowSignIn: true });
      await tab.getByLabel('Token').waitFor();
      await expect.poll(() => tokenOf(tab)).toBeNull();
    }
  });

  it('leave the sign-in page of a new tab alone when they respond late', async () => {
    const { page } = await openConsole(path, { token: false });
    const token = page.getByLabel('Token');
    await token.fill('hfu_half-typed');
    const responder = await openResponder(page.context(), ['offer']);
    await page.evaluate((name) => {
      new BroadcastChannel(name).addEventListener('message', () => Reflect.set(globalThis, 'hasHeard', true));
    }, CHANNEL);
    await responder.evaluate(() => Reflect.get(globalThis, 'respond')());
    await expect.poll(() => page.evaluate(() => Reflect.get(globalThis, 'hasHeard'))).toBe(true);
    await expect.poll(() => token.inputValue()).toBe('hfu_half-typed');
    await expect.poll(() => tokenOf(page)).toBeNull();
  });
});
