import { readFileSync, writeFileSync } from 'node:fs';
import { alarmKinds } from '../../infra/alarms.ts';
import { settingDefinitions } from '../../infra/settings.ts';
import { editionNames, editions, type Features } from '../../shared/domain/editions.ts';

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

interface Difference {
  readonly what: string;
  readonly offered: string;
  readonly otherwise: string;
}

/** What each feature is to a client; `test/endpoints/editions.test.ts` holds both editions to it. */
const differences: Readonly<Record<keyof Features, Difference>> = {
  healthAssessments: {
    what: '`assessments-enabled`, `assessments-enforced`',
    offered: 'for organizations of plan `plus`; see `assessmentsEnforced`',
    otherwise: '422 in requests, absent in answers',
  },
  holdYourOwnKey: { what: '`hyok-enabled`', offered: 'false in answers', otherwise: 'absent' },
  globalRemoteStateDefault: {
    what: '`global-remote-state` of a new workspace',
    offered: 'the setting `globalRemoteStateDefault`',
    otherwise: 'false',
  },
  retentionPolicies: {
    what: 'data retention policies',
    offered: 'their paths, their attributes, `data-retention-policy`',
    otherwise: '404, absent',
  },
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
  editions: table(
    ['What differs', ...editionNames],
    Object.entries(differences).map(([feature, { what, offered, otherwise }]) => [
      what,
      ...editionNames.map((edition) => (editions[edition][feature as keyof Features] ? offered : otherwise)),
    ]),
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
