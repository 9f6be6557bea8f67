import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundledOnce } from '../support/setup/build-once.ts';

/** Largest size of the scripts of the web console, in kilobytes, compressed with Brotli as they are sent. */
const budgets = { firstView: 160, total: 300 };

/** The page after sign-in is the list of workspaces. Its code is loaded when it is opened. */
const firstPages = ['sign-in', 'workspaces-page'];
const isFirstPage = new RegExp(`^(${firstPages.join('|')})-[\\w-]{8}\\.js$`);

let folder: string;
beforeAll(async () => {
  const { bundles } = await bundledOnce();
  folder = join(bundles.console.directory, 'web');
});

const readCompressed = (path: string): Buffer => readFileSync(join(folder, `${path}.br`));
const read = (path: string): string => brotliDecompressSync(readCompressed(path)).toString();
const scripts = (): string[] =>
  readdirSync(join(folder, 'assets'))
    .filter((name) => name.endsWith('.js.br'))
    .map((name) => name.replace(/\.br$/, ''));
const kilobytes = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + readCompressed(`assets/${name}`).length, 0) / 1_000;

/** Lists a script with all scripts that it imports, except for those that it loads on demand. */
const withImports = (name: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported] of read(`assets/${name}`).matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g))
    if (imported !== undefined) withImports(imported, found);
  return found;
};

describe('the built web console', () => {
  it('stores each file compressed with Brotli and gzip only, with a hash in the name of each asset', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const { name, parentPath } of files) {
      expect(name).toMatch(/\.(br|gz)$/);
      if (parentPath !== folder) expect(name).toMatch(/-[\w-]{8}\.[a-z0-9]+\.(br|gz)$/);
    }
    expect(files.filter(({ name }) => name.endsWith('.br'))).toHaveLength(files.length / 2);
  });

  it('has a page without inline scripts and styles, and files of its own only', () => {
    const page = read('index.html');
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    for (const [, address] of page.matchAll(/\s(?:src|href)="([^"]+)"/g))
      expect(address).toMatch(/^\/(assets\/|docs$)/);
  });

  it(`loads at most ${budgets.firstView} KB of script for its first view, and has at most ${budgets.total} KB in total`, () => {
    const [, entry = ''] = /src="\/assets\/([^"]+\.js)"/.exec(read('index.html')) ?? [];
    const pages = scripts().filter((name) => isFirstPage.test(name));
    expect(pages).toHaveLength(firstPages.length);
    const firstView = new Set([entry, ...pages].flatMap((name) => [...withImports(name)]));
    expect(kilobytes(firstView)).toBeGreaterThan(50);
    expect(kilobytes(firstView)).toBeLessThanOrEqual(budgets.firstView);
    expect(kilobytes(scripts())).toBeLessThanOrEqual(budgets.total);
  });
});
