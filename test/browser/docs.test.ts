import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../infra/local/service/service.ts';
import { documentOf } from '../../shared/openapi/document.ts';
import { findBrowser, launchOptions } from '../support/browser/find-browser.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';

/** `/docs` of a service on this computer, in a browser (`npm run check:docs`). */

const executable = findBrowser();
if (executable === undefined)
  console.log('Skipped: /docs in a browser. There is no Chromium here (apt-get install chromium).');

const { paths, components } = documentOf('self-hosted');
const operations = Object.values(paths).flatMap(Object.values);
const shownSchemas = Object.keys(components.schemas).filter((name) => !name.endsWith('Errors'));

describe.runIf(executable !== undefined)('the page /docs in a browser', () => {
  let folder: string;
  let service: Service;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-docs-'));
    service = await startService({ dataFolder: join(folder, 'data'), assembly: await synthesizedOnce(), port: 0 });
    url = new URL('/docs', service.baseUrl).href;
    browser = await chromium.launch(launchOptions(executable ?? ''));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Page with its requests and console errors. */
  const open = async (fragment = '', options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const response = await page.goto(url + fragment);
    return { page, requests, complaints, response };
  };

  it('shows every operation and schema without further requests or errors in the console', async () => {
    const { page, requests, complaints, response } = await open();
    expect(response?.status()).toBe(200);
    expect(response?.headers()['content-encoding']).toBe('gzip');
    expect(await page.title()).toBe('Holdfast API');
    for (const { operationId, summary } of operations) {
      expect(await page.locator(`[id="${operationId}"] h3`).textContent()).toBe(summary);
    }
    expect(await page.locator('.entry:visible').count()).toBe(operations.length + shownSchemas.length);
    await page.locator('.entry').last().scrollIntoViewIfNeeded();
    await page.waitForLoadState('networkidle');
    expect(requests.filter((request) => !request.startsWith('data:'))).toEqual([url]);
    expect(complaints).toEqual([]);
  });

  it('loads only its own scripts, styles and images', async () => {
    const { page } = await open();
    const violated = await page.evaluate(`(async () => {
      const violated = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violated.push(effectiveDirective));
      await fetch('/openapi.json').catch(() => undefined);
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
    expect(await found()).toEqual(['workspaces.force-unlock']);
    expect(await page.locator('#found').textContent()).toMatch(/^\d+ of \d+$/);
    expect(await visible('nav a', 'hash')).toContain('#workspaces.force-unlock');
    await page.keyboard.press('Escape');
    expect(await found()).toHaveLength(operations.length);
    await page.fill('#query', 'nothing-has-this-word');
    expect(await found()).toEqual([]);
    expect(await page.locator('#nothing').isVisible()).toBe(true);
  });

  const inSight = (page: Page, id: string) =>
    page.evaluate(`(() => {
      const { top } = document.getElementById('${id}').getBoundingClientRect();
      return top >= 0 && top < innerHeight / 2;
    })()`);

  it('leads to an operation by its address, also out of a search', async () => {
    const { page } = await open('#workspaces.safe-delete');
    expect(await inSight(page, 'workspaces.safe-delete')).toBe(true);
    await page.fill('#query', 'ping');
    await page.evaluate("location.hash = '#workspaces.lock'");
    await page.waitForFunction("document.querySelector('#query').value === ''");
    expect(await inSight(page, 'workspaces.lock')).toBe(true);
    await page.locator('nav a', { hasText: 'Create a workspace' }).first().click();
    expect(new URL(page.url()).hash).toBe('#workspaces.create');
    expect(await inSight(page, 'workspaces.create')).toBe(true);
  });

  it('the documentation page is complete without JavaScript, except for the search', async () => {
    const { page } = await open('#workspaces.lock', { javaScriptEnabled: false });
    expect(await page.locator('article.entry:visible').count()).toBe(operations.length);
    expect(await page.locator('#search').isVisible()).toBe(false);
    expect(await page.locator('nav a:visible').count()).toBeGreaterThan(operations.length);
  });

  describe.each([
    ['in daylight', { colorScheme: 'light' }],
    ['at night', { colorScheme: 'dark' }],
    ['on a telephone', { viewport: { width: 360, height: 740 } }],
  ] as const)('%s', (_, options) => {
    it('the documentation page has no accessibility violations', async () => {
      const { page } = await open('', options);
      await page.locator('summary').first().click();
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        'axe.run()',
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
    });

    it('is never wider than the window', async () => {
      const { page } = await open('', options);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });
  });
});
