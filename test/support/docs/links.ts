import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testFiles } from '../checks/test-names.ts';
import { pageUrl, readPage } from './pages.ts';

/** Finds broken references in the Markdown pages of the repository, without a network. */

const root = fileURLToPath(pageUrl('.'));

/** Every Markdown page of the repository, by its path relative to the root. */
export const markdownPages = (): readonly string[] =>
  globSync(['*.md', '{.github,docs,functions,infra,shared,test}/**/*.md'], { cwd: root })
    .filter((path) => !path.includes('node_modules'))
    .sort();

/** The page without its code, where brackets are no links and `#` starts no heading. */
const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The anchor that GitHub gives a heading. @param heading text without the address of its links. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The anchors that GitHub gives the headings of a page. */
export const anchorsIn = (text: string): ReadonlySet<string> => {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  const seen = new Map<string, number>();
  return new Set(
    [...headings].map(([, heading = '']) => {
      const slug = slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
};

const linksIn = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)(?:\s"[^"]*")?\)/g)].map(([, target = '']) => target);

const isExternal = (target: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(target);

/** Path of the page or file that a link of `page` leads to, relative to the root. */
const targetOf = (page: string, link: string): string => {
  const [path = ''] = link.split('#');
  return path === '' ? page : normalize(join(dirname(page), path));
};

/** The relative links of a page that lead to no file, or to no heading of a page. */
export const brokenLinks = (page: string, text: string): readonly string[] =>
  linksIn(text).filter((link) => {
    if (isExternal(link)) return false;
    const target = targetOf(page, link);
    const file = join(root, target);
    if (target.startsWith('..') || !existsSync(file)) return true;
    const [, anchor] = link.split('#');
    return anchor !== undefined && target.endsWith('.md') && !anchorsIn(readFileSync(file, 'utf8')).has(anchor);
  });

/** The words of code spans and shell blocks. */
const codeWords = (text: string): readonly string[] =>
  [...text.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$|(?<!`)`([^`\n]+)`(?!`)/gm)].flatMap(([, block, span]) =>
    (block ?? span ?? '').split(/\s+/),
  );

/** A test file, which pages name without its folder. */
const TEST_NAME = /^[\w-]+\.test\.tsx?$/;
const REPOSITORY_PATH = /^(?:functions|shared|infra|test|docs|\.github)\/[\w.@/-]+$/;

/** A decision record as comments cite it; the check of citations resolves these. */
const CITATION = /^docs\/decisions\/\d{4}$/;

/**
 * Finds paths and names of test files in code that look like files of the repository and do not exist. Ignores files
 * that are not committed.
 */
export const missingPaths = (text: string): readonly string[] => {
  const testNames = new Set(testFiles().map((path) => basename(path)));
  const words = codeWords(text).map((word) => word.replace(/[,.:;]+$/, ''));
  return words.filter((word) =>
    REPOSITORY_PATH.test(word) && !CITATION.test(word) && !word.includes('/compiled/')
      ? !existsSync(join(root, word))
      : TEST_NAME.test(word) && !testNames.has(word),
  );
};

/** The scripts that `npm run` is given in code and that `package.json` does not define. */
export const missingScripts = (text: string): readonly string[] => {
  const { scripts } = JSON.parse(readPage('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  return [...text.matchAll(/npm run (?:-s |--silent )?([a-z][a-z:-]*)/g)]
    .map(([, script = '']) => script)
    .filter((script) => !Object.hasOwn(scripts, script));
};

/** The pages that links lead to from `start`, directly or through other pages. */
export const reachablePages = (start: readonly string[]): ReadonlySet<string> => {
  const reached = new Set(start);
  for (const page of reached) {
    for (const link of linksIn(readPage(page))) {
      const target = targetOf(page, link);
      if (!isExternal(link) && target.endsWith('.md') && existsSync(join(root, target))) reached.add(target);
    }
  }
  return reached;
};
