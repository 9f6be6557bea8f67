import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Checks the citations of reference rules (`npm run check:citations`). A rule of `docs/reference/` begins with its id
 * in bold; everywhere else the id cites it.
 */

/** One file, with its path from the root of the repository. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

interface Report {
  readonly rules: number;
  readonly citations: number;
  readonly violations: readonly string[];
}

const RULE = /^\*\*([A-Z]+-\d+)\*\*/gm;
const ID = /\b([A-Z]+)-\d{1,3}\b/g;
/** Documents that are not part of this repository, and sections of them. */
const ELSEWHERE = /\b(?:(?:spec|contract) \d+(?:\.\d+)?|(?<![\w-])(?:spec|contract|decisions|design|table)\.md)\b/gi;

/** Pages by their path, and decision records by their number. */
const PAGE = /\bdocs\/(?:decisions\/\d{4}\b(?!-)|[\w/-]+\.md\b)/g;

const isReference = ({ path }: TextFile): boolean => path.startsWith('docs/reference/');

/** Counts line breaks before an offset; the first line is 1. */
const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Formats every match of a pattern as `path:line: problem`. */
const matchesIn = ({ path, text }: TextFile, pattern: RegExp, problem: (match: string) => string): string[] =>
  [...text.matchAll(pattern)].map((match) => `${path}:${lineAt(text, match.index)}: ${problem(match[0])}`);

/** Finds citations of pages under `docs/` that do not exist: `docs/reference/locks.md`, or a decision by its number. */
const missingPages = (files: readonly TextFile[]): string[] => {
  const exists = (page: string): boolean => files.some(({ path }) => path === page || path.startsWith(`${page}-`));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(PAGE)].flatMap(({ 0: page, index }) =>
      exists(page) ? [] : [`${path}:${lineAt(text, index)}: there is no page ${page}`],
    ),
  );
};

/**
 * Checks that every rule id is defined once and that every cited id or page exists. An id counts as a citation if its
 * prefix is that of a rule, so names such as `SHA-256` are not mistaken for one.
 */
export const checkCitations = (files: readonly TextFile[]): Report => {
  const definitions = files
    .filter(isReference)
    .flatMap(({ path, text }) =>
      [...text.matchAll(RULE)].map(([, id = '']) => ({ id, prefix: id.replace(/-\d+$/, ''), path })),
    );
  const defined = new Map(definitions.map(({ id, path }) => [id, path]));
  const prefixes = new Set(definitions.map(({ prefix }) => prefix));

  const duplicates = [...Map.groupBy(definitions, ({ id }) => id)]
    .filter(([, same]) => same.length > 1)
    .map(([id, same]) => `${id} is defined ${same.length} times: ${same.map(({ path }) => path).join(', ')}`);

  let citations = 0;
  const unresolved = files.flatMap(({ path, text }) =>
    [...text.matchAll(ID)].flatMap((match) => {
      const [id, prefix = ''] = match;
      if (!prefixes.has(prefix)) return [];
      citations += 1;
      return defined.has(id) ? [] : [`${path}:${lineAt(text, match.index)}: there is no rule ${id}`];
    }),
  );
  return {
    rules: defined.size,
    citations: citations - definitions.length,
    violations: [...duplicates, ...unresolved, ...missingPages(files)],
  };
};

/** Finds citations of documents that are not part of the repository, such as numbered sections of a specification. */
export const citationsElsewhere = (files: readonly TextFile[]): readonly string[] =>
  files.flatMap((file) =>
    matchesIn(
      file,
      ELSEWHERE,
      (match) => `${match} is not a document of this repository; cite a rule of docs/reference`,
    ),
  );

/** Reads all source files and pages below a folder, without what is generated. */
export const readTree = (root: string): readonly TextFile[] =>
  globSync(['*.md', '{docs,functions,infra,shared,test}/**/*.{md,ts,tsx}'], { cwd: root })
    .filter((path) => !path.includes('/compiled/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

if (import.meta.main) {
  const files = readTree(fileURLToPath(new URL('../../..', import.meta.url)));
  const { rules, citations, violations } = checkCitations(files);
  const all = [...violations, ...citationsElsewhere(files)];
  for (const violation of all) console.error(violation);
  console.log(`Rule citations: ${rules} rules, ${citations} citations, ${all.length} violations.`);
  if (rules === 0 || all.length > 0) process.exitCode = 1;
}
