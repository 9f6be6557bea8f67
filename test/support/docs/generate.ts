import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { published, publishedFiles } from '../../../shared/events/publish-schemas.ts';
import { buildCommandLinePage } from './command-line-page.ts';
import { withGenerated } from './generated-tables.ts';
import { pageUrl, readPage } from './pages.ts';
import { pageTables } from './tables.ts';

/**
 * Writes the generated tables of the documentation (`npm run generate:docs`). With `--check`, writes nothing, names each
 * committed output that is out of date, the event schemas included, and exits with status 1.
 */

const COMMAND_LINE = 'docs/reference/command-line.md';

/** The generated pages that differ from the code, by their path, with the text that they should have. */
const stalePages = (): ReadonlyMap<string, string> => {
  const pages = Object.entries(pageTables).map(
    ([path, tables]) => [path, withGenerated(readPage(path), tables)] as const,
  );
  const all = [...pages, [COMMAND_LINE, buildCommandLinePage(readPage(COMMAND_LINE))] as const];
  return new Map(all.filter(([path, expected]) => readPage(path) !== expected));
};

/** The paths of published event schemas that differ from the code, are missing, or belong to no event. */
const staleSchemas = (): readonly string[] => {
  const files = publishedFiles();
  const names = new Set([...Object.keys(files), ...readdirSync(published)]);
  return [...names]
    .filter((name) => {
      const file = new URL(name, published);
      return !existsSync(file) || readFileSync(file, 'utf8') !== files[name];
    })
    .map((name) => `shared/events/${basename(published.pathname)}/${name}`);
};

/** The committed outputs of the quick generators that are out of date. */
export const staleOutputs = (): readonly string[] => [...stalePages().keys(), ...staleSchemas()];

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  if (values.check) {
    const stale = staleOutputs();
    for (const path of stale) console.error(`${path} is out of date: run npm run generate`);
    if (stale.length > 0) process.exitCode = 1;
  } else {
    for (const [path, text] of stalePages()) writeFileSync(pageUrl(path), text);
  }
}
