import { describe, expect, it } from 'vitest';
import { addressOf, sidebarOf } from '../../../docs/.vitepress/sidebar.ts';
import { markdownPages } from '../../support/docs/links.ts';
import { readPage } from '../../support/docs/pages.ts';

describe('the sidebar of the site', () => {
  const sidebar = sidebarOf(readPage);

  it('has the sections of docs/README.md in their order', () => {
    const sections = [...readPage('docs/README.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(sections.length).toBeGreaterThan(3);
    expect(sidebar.map(({ text }) => text)).toEqual(sections);
  });

  it('leads to every page of docs/ once', () => {
    const entries = sidebar.flatMap(({ items = [] }) => items.flatMap((entry) => [entry, ...(entry.items ?? [])]));
    const pages = markdownPages().filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(entries.map(({ link }) => link).sort()).toEqual(pages.map(addressOf).sort());
  });

  it('shows the pages of a folder below its README, by their titles', () => {
    const records = sidebar.flatMap(({ items = [] }) => items).find(({ link }) => link === '/docs/decisions/');
    expect(records?.items?.[0]).toEqual({
      text: '0001. Use a global table with one replica',
      link: '/docs/decisions/0001-use-a-global-table-with-one-replica',
    });
  });
});
