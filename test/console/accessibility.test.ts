import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  openConsole,
} from '../support/console/console.ts';

/** Needs of people with screen readers, large text or colors of their own that axe does not find. */

/** Lists the names that several buttons of the page have. */
const repeatedNames = async (page: Page): Promise<readonly (string | null)[]> => {
  const names = await page
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent));
  return names.filter((name, index) => names.indexOf(name) !== index);
};

describeConsole('the web console for assistive technologies', () => {
  let organization: string;

  beforeAll(async () => {
    organization = await createOrganization();
    const { id } = await createWorkspace(organization, { name: 'network' });
    const set = await create(`/organizations/${organization}/varsets`, 'varsets', { name: 'common', global: true });
    for (const category of ['infra', 'env']) {
      const region = { key: 'region', value: 'a', category };
      await create(`/workspaces/${id}/vars`, 'vars', region);
      await create(`/varsets/${set.id}/relationships/vars`, 'vars', region);
    }
  });

  it('names the tab of a workspace in the title, each button once, and each table', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces/network`, {
      // There are no tokens.
      expectedComplaints: /status of 404/,
    });
    await page.getByRole('heading', { name: 'Not locked' }).waitFor();
    await expect.poll(() => page.title()).toBe('network · Holdfast');
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Variables' }).click();
    await page.getByRole('table', { name: 'Variables' }).getByText('overridden').first().waitFor();
    await expect.poll(() => page.title()).toBe('Variables · network · Holdfast');
    await expect.poll(() => page.getByRole('button', { name: /^(Edit|Delete) region/ }).count()).toBe(4);
    expect(await repeatedNames(page)).toEqual([]);
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByText('There is no token.').nth(1).waitFor();
    expect(await repeatedNames(page)).toEqual([]);
  });

  it('shows the whole of a dialog in a window that is enlarged to 400 %', async () => {
    const { page } = await openConsole(`/app/${organization}/workspaces/network/settings`, {
      viewport: { width: 320, height: 256 },
    });
    await page.getByRole('button', { name: 'Force delete' }).click();
    const dialog = page.getByRole('dialog');
    for (const part of [dialog.getByRole('heading'), dialog.getByRole('button', { name: 'Force delete' })]) {
      await part.scrollIntoViewIfNeeded();
      const box = await part.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(256);
    }
  });

  it('moves nothing endlessly while a page is loading if the reader wants less motion', async () => {
    const { page } = await openConsole(`/app/${organization}/locks`, { reducedMotion: 'reduce' });
    await page.getByRole('heading', { name: 'Locks' }).waitFor();
    // Without a response, the page stays as it is.
    await page.route('**/assets/**', () => undefined);
    await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
    await page.getByRole('progressbar').waitFor();
    const countEndless = () =>
      page.evaluate(
        () =>
          document
            .getAnimations()
            .filter(({ effect }) => effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY).length,
      );
    expect(await countEndless()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await countEndless()).toBe(1);
  });

  it('shows which buttons are disabled where the browser forces its own colors', async () => {
    const { page } = await openConsole('/app/sign-in', { forcedColors: 'active' });
    await page.goto(addressOf(`/app/${organization}/workspaces/network/settings`));
    const colorOf = (name: string) =>
      page.getByRole('button', { name, exact: true }).evaluate((button) => getComputedStyle(button).color);
    await expect.poll(() => colorOf('Save')).not.toBe(await colorOf('Force delete'));
  });
});
