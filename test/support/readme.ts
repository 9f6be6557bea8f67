import { readFileSync, writeFileSync } from 'node:fs';
import { alarmKinds } from '../../infra/alarms.ts';
import { settingDefinitions } from '../../infra/settings.ts';

/** The tables of the README that say what the code says; `node test/support/readme.ts` writes them anew. */

const file = new URL('../../README.md', import.meta.url);
export const readReadme = (): string => readFileSync(file, 'utf8');

const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const fallbackOf = (value: unknown): string => {
  const isNothing = value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
  return isNothing ? '' : `\`${value}\``;
};

const tables: Readonly<Record<string, string>> = {
  settings: table(
    ['Setting', 'Default', 'Meaning'],
    Object.entries(settingDefinitions).map(([name, { fallback, means }]) => [
      `\`${name}\``,
      fallbackOf(fallback),
      means,
    ]),
  ),
  alarms: table(
    ['Alarm', 'Means', 'Do'],
    Object.entries(alarmKinds).map(([name, { means, act }]) => [`\`${name}\``, means, act]),
  ),
};

/** The README with its tables as the code has them. */
export const withTables = (readme: string): string =>
  Object.entries(tables).reduce(
    (text, [name, rows]) =>
      text.replace(
        new RegExp(`(<!-- ${name}: [^>]*-->\\n\\n)(?:\\|.*\\n)*\\n?`),
        (_, mark: string) => `${mark}${rows}\n\n`,
      ),
    readme,
  );

if (import.meta.main) writeFileSync(file, withTables(readReadme()));
