import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as bundleSchemas from '../../../shared/bundle/publish.ts';
import * as eventSchemas from '../../../shared/events/publish-schemas.ts';
import { buildCommandLinePage } from './command-line-page.ts';
import { withGenerated } from './generated-tables.ts';
import { pageUrl, readPage } from './pages.ts';
import { pageTables } from './tables.ts';

/**
 * Writes the generated tables of the documentation (`npm run generate:docs`). With `--check`, writes nothing, names each
 * committed output that is out of date, the published schemas included, and exits with status 1.
 */

const root = new URL('../../../', import.meta.url);
const COMMAND_LINE = 'docs/reference/command-line.md';

/** The generated pages that differ from the code, by their path, with the text that they should have. */
const stalePages = (): ReadonlyMap<string, string> => {
  const pages = Object.entries(pageTables).map(
    ([path, tables]) => [path, withGenerated(readPage(path), tables)] as const,
  );
  const all = [...pages, [COMMAND_LINE, buildCommandLinePage(readPage(COMMAND_LINE))] as const];
  return new Map(all.filter(([path, expected]) => readPage(path) !== expected));
};

/** The paths of published schemas that differ from the code, are missing, or belong to nothing. */
const staleSchemas = (): readonly string[] =>
  [eventSchemas, bundleSchemas].flatMap(({ published, publishedFiles }) => {
    const files = publishedFiles();
    const names = new Set([...Object.keys(files), ...readdirSync(published)]);
    return [...names]
      .filter((name) => {
        const file = new URL(name, published);
        return !existsSync(file) || readFileSync(file, 'utf8') !== files[name];
      })
      .map((name) => relative(fileURLToPath(root), fileURLToPath(new URL(name, published))));
  });

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
