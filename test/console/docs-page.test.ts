import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { documentOf } from '../../shared/openapi/document.ts';
import {
  addressOf,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
} from '../support/console/console.ts';

/** `/docs` of a service on this computer, in a browser (`npm run check:docs`). */

const { paths, components } = documentOf('self-hosted');
const operations = Object.values(paths).flatMap(Object.values);
const shownSchemas = Object.keys(components.schemas).filter((name) => !name.endsWith('Errors'));

describeConsole('the page /docs in a browser', () => {
  const open = (fragment = '', options: Parameters<typeof openConsole>[1] = {}) =>
    openConsole(`/docs${fragment}`, { token: false, ...options });

  it('shows every operation and schema without further requests or errors in the console', async () => {
    const { page, requests, response } = await open();
    expect(response?.status()).toBe(200);
    expect(response?.headers()['content-encoding']).toBe('gzip');
    await expect.poll(() => page.title()).toBe('Holdfast API');
    const shown = await page
      .locator('article.entry')
      .evaluateAll((entries) => entries.map(({ id, firstElementChild }) => `${id}: ${firstElementChild?.textContent}`));
    expect(shown.sort()).toEqual(operations.map(({ operationId, summary }) => `${operationId}: ${summary}`).sort());
    await expect.poll(() => page.locator('.entry:visible').count()).toBe(operations.length + shownSchemas.length);
    await page.locator('.entry').last().scrollIntoViewIfNeeded();
    await page.waitForLoadState('networkidle');
    expect(requests.filter((request) => !request.startsWith('data:'))).toEqual([addressOf('/docs')]);
  });

  it('loads only its own scripts, styles and images', async () => {
    const { page } = await open('', { expectedComplaints: /Content Security Policy/ });
    const violated = await page.evaluate(`(async () => {
      const violated = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violated.push(effectiveDirective));
      await fetch('https://example.com/').catch(() => undefined);
      for (const [name, attributes] of Object.entries({
        script: { textContent: 'globalThis.foreign = true' },
        style: { textContent: 'body { display: none }' },
        img: { src: '/logo.png' },
        iframe: { src: '/docs' },
      })) document.body.append(Object.assign(document.createElement(name), attributes));
      while (new Set(violated).size < 5) await new Promise((resolve) => setTimeout(resolve, 50));
      return { violated, foreign: globalThis.foreign };
    })()`);
    expect(violated).toEqual({
      violated: expect.arrayContaining(['connect-src', 'script-src-elem', 'style-src-elem', 'img-src', 'frame-src']),
      foreign: undefined,
    });
  });

  it('finds an operation by its words, says how many there are, and forgets them on Escape', async () => {
    const { page } = await open();
    const visible = (selector: string, property: string) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('${selector}')]
        .filter((element) => element.checkVisibility()).map((element) => element['${property}'])`);
    const found = () => visible('article.entry', 'id');
    await page.keyboard.press('/');
    await page.keyboard.type('FORCE-UNLOCK post');
    await expect.poll(() => found()).toEqual(['workspaces.force-unlock']);
    await expect.poll(() => page.locator('#found').textContent()).toMatch(/^\d+ of \d+$/);
    await expect.poll(() => visible('nav a', 'hash')).toContain('#workspaces.force-unlock');
    await page.keyboard.press('Escape');
    await expect.poll(() => found()).toHaveLength(operations.length);
    await page.fill('#query', 'nothing-has-this-word');
    await expect.poll(() => found()).toEqual([]);
    await expect.poll(() => page.locator('#nothing').isVisible()).toBe(true);
  });

  const inSight = (page: Page, id: string) =>
    page.evaluate(`(() => {
      const { top } = document.getElementById('${id}').getBoundingClientRect();
      return top >= 0 && top < innerHeight / 2;
    })()`);

  it('leads to an operation by its address, also out of a search', async () => {
    const { page } = await open('#workspaces.safe-delete');
    await expect.poll(() => inSight(page, 'workspaces.safe-delete')).toBe(true);
    await page.fill('#query', 'ping');
    await page.evaluate("location.hash = '#workspaces.lock'");
    await page.waitForFunction("document.querySelector('#query').value === ''");
    await expect.poll(() => inSight(page, 'workspaces.lock')).toBe(true);
    await page.locator('nav a', { hasText: 'Create a workspace' }).first().click();
    await expect.poll(() => new URL(page.url()).hash).toBe('#workspaces.create');
    await expect.poll(() => inSight(page, 'workspaces.create')).toBe(true);
  });

  it('the documentation page is complete without JavaScript, except for the search', async () => {
    const { page } = await open('#workspaces.lock', { javaScriptEnabled: false });
    await expect.poll(() => page.locator('article.entry:visible').count()).toBe(operations.length);
    await expect.poll(() => page.locator('#search').isVisible()).toBe(false);
    await expect.poll(() => page.locator('nav a:visible').count()).toBeGreaterThan(operations.length);
  });

  it('shows commands with the address of the service that sent the page', async () => {
    const { page } = await open('#workspaces.lock');
    const command = page.locator('[id="workspaces.lock"] .sample code');
    const url = `${addressOf('/')}api/v2/workspaces/{workspace_id}/actions/lock`;
    await expect.poll(() => command.textContent()).toContain(`curl -X POST '${url}'`);
    await expect.poll(() => command.textContent()).toContain('-H "Authorization: Bearer $HOLDFAST_TOKEN"');
    await expect.poll(() => page.locator('main').textContent()).not.toContain('this-host');
    await expect.poll(() => page.locator('#session').isVisible()).toBe(false);
    await page.locator('[id="workspaces.lock"] .request summary').click();
    await expect.poll(() => page.locator('.request form').count()).toBe(0);
    const signIn = page.locator('[id="workspaces.lock"] .request').getByRole('link', { name: 'Sign in' });
    await expect.poll(() => signIn.getAttribute('href')).toBe('/app/sign-in');
  });

  it('sends a request for a reader who is signed in to the web console', async () => {
    const organization = await createOrganization('docs');
    const { id } = await createWorkspace(organization, { name: 'network' });
    const { page } = await openConsole('/app');
    await page.goto(addressOf('/docs#workspaces.lock'));
    await page.getByText(/^curl .*\/api\/v2\/organizations\/(?!acme\/)[\w-]+\/workspaces'$/).waitFor();
    const lock = page.locator('[id="workspaces.lock"] .request');
    await lock.locator('summary').click();
    await lock.getByLabel('workspace_id').fill(id);
    await lock.getByLabel('body').fill(JSON.stringify({ reason: 'from the documentation' }));
    await lock.getByRole('button', { name: 'Send POST' }).click();
    await lock.getByText('200 OK').waitFor();
    expect(JSON.parse((await lock.locator('pre').last().textContent()) ?? '')).toMatchObject({
      data: { id, attributes: { locked: true } },
    });
    const list = page.locator('[id="workspaces.list"] .request');
    await list.locator('summary').click();
    await list.getByLabel('organization_name').fill(organization);
    await list.getByLabel('query').fill('search[name]=none');
    await list.getByRole('button', { name: 'Send GET' }).click();
    await list.getByText('"total-count": 0').waitFor();
  });

  /**
   * Removes the entries that consist only of elements which entries before them have, with their links. One entry of each
   * form remains.
   */
  const keepOneEntryOfEachForm = (page: Page) =>
    page.evaluate(() => {
      const seen = new Set<string>();
      for (const entry of document.querySelectorAll('.entry')) {
        const forms = [...entry.querySelectorAll('*')].map(
          ({ tagName, parentElement, attributes }) =>
            `${parentElement?.tagName}>${tagName}[${[...attributes].map(({ name }) => name)}]`,
        );
        if (forms.some((form) => !seen.has(form))) for (const form of forms) seen.add(form);
        else {
          for (const link of document.querySelectorAll(`nav a[href="#${entry.id}"]`)) link.closest('li')?.remove();
          entry.remove();
        }
      }
    });

  it.each([
    ['on a computer', { width: 1280, height: 800 }],
    ['on a telephone', { width: 360, height: 740 }],
  ] as const)('is never wider than the window and has no accessibility violations %s', async (_, viewport) => {
    const { page } = await open('', { viewport });
    await expectNoSidewaysScrolling(page);
    await keepOneEntryOfEachForm(page);
    await expect.poll(() => page.locator('.entry').count()).toBeGreaterThan(5);
    for (const summary of await page.locator('.entry summary').all()) await summary.click();
    await expectAccessible(page);
    for (const words of ['post', 'nothing-has-this-word']) {
      await page.fill('#query', words);
      await expectAccessible(page);
    }
  });

  it('the forms that send requests have no accessibility violations', async () => {
    const { page } = await openConsole('/app');
    await page.goto(addressOf('/docs#workspaces.lock'));
    await keepOneEntryOfEachForm(page);
    for (const summary of await page.locator('.entry .request summary').all()) await summary.click();
    await page.getByRole('button', { name: /^Send/ }).first().waitFor();
    await expectAccessible(page);
  });

  it('the page /docs has the theme that is chosen in the web console', async () => {
    const { page } = await open('', { colorScheme: 'light' });
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.evaluate("localStorage.setItem('holdfast.theme', 'dark')");
    await page.reload();
    const chosen = await ground();
    expect(chosen).not.toBe(light);
    await page.evaluate("localStorage.removeItem('holdfast.theme')");
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await expect.poll(() => ground()).toBe(chosen);
  });
});
