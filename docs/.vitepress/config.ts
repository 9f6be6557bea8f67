import { posix } from 'node:path';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { markdownPages, reachablePages, slugOf } from '../../test/support/docs/links.ts';
import { readPage } from '../../test/support/docs/pages.ts';
import { sidebarOf } from './sidebar.ts';

/** The site of the documentation (`npm run build:site`): the pages that README.md leads to, in the order of docs/README.md. */

const pages = reachablePages(['README.md']);

const icon = readPage('functions/console/app/icon.svg').trim();
const iconAddress = `data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}`;

/** The file that a page becomes: the README of a folder is its index. */
const fileOf = (page: string): string => page.replace(/README\.md$/, 'index.md');

/** Address of a file in the repository that publishes the site with GitHub Actions; undefined elsewhere. */
const sourceOf = (file: string): string | undefined => {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = process.env;
  return repository && `${server}/${repository}/blob/${commit}/${file}`;
};

/** Leads links to pages to their addresses, and links to other files of the repository to their source. */
const resolveLinks = (md: MarkdownRenderer): void => {
  md.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === 'link_open' ? String(token.attrGet('href')) : '';
      if (link === '' || link.startsWith('#') || /^[a-z]+:/i.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      if (path.endsWith('.md')) token.attrSet('href', fileOf(path) + (anchor === undefined ? '' : `#${anchor}`));
      else {
        const source = sourceOf(posix.join(posix.dirname(env.relativePath), path));
        if (source === undefined) token.attrs = [];
        else token.attrSet('href', source);
      }
    }
  });
};

/** Keeps Vue from reading braces in code as expressions. */
const keepBraces = (md: MarkdownRenderer): void => {
  const { code_inline: render } = md.renderer.rules;
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    tokens[index]?.attrSet('v-pre', '');
    return render?.(tokens, index, ...rest) ?? '';
  };
};

/** Leaves diagrams to the component that draws them in the browser. */
const drawDiagrams = (md: MarkdownRenderer): void => {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    if (info.trim() !== 'mermaid') return fence?.(tokens, index, ...rest) ?? '';
    return `<Diagram source="${encodeURIComponent(content)}" />`;
  };
};

export default defineConfig({
  title: 'Holdfast',
  description: 'Workspace and variable management for infrastructure as code, serverless in your own AWS account',
  lang: 'en-US',
  head: [['link', { rel: 'icon', href: iconAddress }]],
  srcDir: '..',
  srcExclude: ['node_modules/**', ...markdownPages().filter((page) => !pages.has(page))],
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: fileOf,
  markdown: {
    anchor: { slugify: slugOf },
    config: (md) => {
      resolveLinks(md);
      keepBraces(md);
      drawDiagrams(md);
    },
  },
  vite: { build: { chunkSizeWarningLimit: Number.POSITIVE_INFINITY } },
  themeConfig: {
    logo: iconAddress,
    nav: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Documentation', link: '/docs/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: sidebarOf(readPage),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
});
