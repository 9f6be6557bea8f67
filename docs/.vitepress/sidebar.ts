import { posix } from 'node:path';

/** The sidebar of the site, from the lists of docs/README.md: a new page is added there only. */

interface Entry {
  readonly text: string;
  readonly link?: string;
  readonly items?: Entry[];
  readonly collapsed?: boolean;
}

const linksIn = (text: string, folder: string): readonly { readonly text: string; readonly page: string }[] =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)#:]+\.md)\)/g)].map(([, label = '', path = '']) => ({
    text: label,
    page: posix.join(folder, path),
  }));

/** Address of a page on the site. */
export const addressOf = (page: string): string => `/${page.replace(/README\.md$/, '').replace(/\.md$/, '')}`;

/** Title of a page, its first heading. */
const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? '';

/**
 * Returns a group for each section of docs/README.md with an entry for each page that its list names. The README of another
 * folder has the other pages of its folder below it, in the order in which it names them.
 */
export const sidebarOf = (readPage: (path: string) => string): Entry[] => {
  const overview = readPage('docs/README.md');
  const listed = new Set(linksIn(overview, 'docs').map(({ page }) => page));
  const pagesBelow = (readme: string): Entry[] => {
    const folder = posix.dirname(readme);
    const pages = new Set(linksIn(readPage(readme), folder).map(({ page }) => page));
    return [...pages]
      .filter((page) => posix.dirname(page) === folder && !listed.has(page))
      .map((page) => ({ text: titleOf(readPage(page)), link: addressOf(page) }));
  };
  const [, ...sections] = overview.split(/^## /m);
  return sections.map((section) => ({
    text: section.slice(0, section.indexOf('\n')),
    collapsed: false,
    items: [...section.matchAll(/^- .*$/gm)]
      .flatMap(([line]) => linksIn(line, 'docs').slice(0, 1))
      .map(({ text, page }) => ({
        text,
        link: addressOf(page),
        ...(page.endsWith('/README.md') && { items: pagesBelow(page), collapsed: true }),
      })),
  }));
};
