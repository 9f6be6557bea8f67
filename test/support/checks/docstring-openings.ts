import { fileURLToPath } from 'node:url';
import { readTree, type TextFile } from './rule-citations.ts';

/**
 * Checks docstrings (`npm run check:docstrings`, docs/develop/language.md). A docstring that starts with one of these
 * words is a clause. It cannot be understood alone in an editor.
 */
const OPENING = /\/\*\*[\s*]*(What|Whose|Who|Where|How|The same|One that)\b/g;

/** An exported function: a declaration, or a constant whose value is an arrow function. */
const EXPORTED = /^export (?:(?:async )?function\*? ?|const (?=\w+(?:: .*)? =\s+(?:async )?[(<]))(\w+)/gm;
/** A docstring directly above, with at most linter directives in between. */
const DOCUMENTED = /\*\/\n(?:\/\/ .*\n)*$/;

/** Finds docstrings that start with a discouraged word, as `path:line: problem`. */
export const discouragedOpenings = (files: readonly TextFile[]): readonly string[] =>
  files
    .filter(({ path }) => /^(?:functions|infra|shared|test)\/.*\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(OPENING)].map(({ 1: words, index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${path}:${line}: the docstring starts with "${words}"; start with a verb or name the thing`;
      }),
    );

/** Finds exported functions of the source folders that have no docstring, as `path:line: problem`. */
export const undocumentedFunctions = (files: readonly TextFile[]): readonly string[] =>
  files
    .filter(({ path }) => /^(?:functions|infra|shared)\/.*\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(EXPORTED)].flatMap(({ 1: name, index }) => {
        const before = text.slice(0, index);
        return DOCUMENTED.test(before) ? [] : [`${path}:${before.split('\n').length}: ${name} has no docstring`];
      }),
    );

if (import.meta.main) {
  const files = readTree(fileURLToPath(new URL('../../..', import.meta.url)));
  const violations = [...discouragedOpenings(files), ...undocumentedFunctions(files)];
  for (const violation of violations) console.error(violation);
  console.log(`Docstrings: ${violations.length} violations.`);
  if (violations.length > 0) process.exitCode = 1;
}
