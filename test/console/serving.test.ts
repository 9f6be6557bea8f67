import { expect, it } from 'vitest';
import { addressOf, describeConsole, openConsole } from '../support/console/console.ts';

describeConsole('the served web console', () => {
  it.each(['/', '/app', '/app/acme/workspaces/network', '/app/settings/tokens'])(
    'opens at %s with files of its own host only, and none of them is inline',
    async (path) => {
      const { page, requests } = await openConsole(path, { token: false });
      await page.locator('h1').waitFor();
      expect(requests.filter((url) => new URL(url).origin !== new URL(addressOf('/')).origin)).toEqual([]);
      // Attributes that scripts have set are no inline styles: the Content-Security-Policy rejects only those of a document.
      await expect.poll(() => page.locator('script:not([src]), style').count()).toBe(0);
    },
  );

  it('sends assets compressed with Brotli, to be cached for a year', async () => {
    const { page } = await openConsole('/app', { token: false });
    const sent = page.waitForResponse(/\/assets\/.*\.js$/);
    await page.reload();
    const headers = (await sent).headers();
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('cannot load code, styles, frames or data from elsewhere', async () => {
    const { page, complaints } = await openConsole('/app', {
      token: false,
      expectedComplaints: /Content Security Policy/,
    });
    await page.locator('h1').waitFor();
    const violated = await page.evaluate(async () => {
      const found: string[] = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective));
      await fetch('https://example.com/').catch(() => undefined);
      const elements: [string, object][] = [
        ['script', { textContent: 'globalThis.foreign = true' }],
        ['script', { src: 'data:text/javascript,globalThis.foreign=true' }],
        ['style', { textContent: 'body { display: none }' }],
        ['img', { src: 'https://example.com/logo.png' }],
        ['iframe', { src: '/docs' }],
      ];
      for (const [name, attributes] of elements)
        document.body.append(Object.assign(document.createElement(name), attributes));
      while (new Set(found).size < 5) await new Promise((resolve) => setTimeout(resolve, 20));
      return { found, foreign: Reflect.get(globalThis, 'foreign') };
    });
    expect(violated).toEqual({
      found: expect.arrayContaining(['connect-src', 'script-src-elem', 'style-src-elem', 'img-src', 'frame-src']),
      foreign: undefined,
    });
    expect(complaints.length).toBeGreaterThan(0);
  });
});
