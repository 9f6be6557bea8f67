import { readFileSync, writeFileSync } from 'node:fs';
import { alarmKinds } from '../../infra/alarms.ts';
import { settingDefinitions } from '../../infra/settings.ts';
import { editionNames, editions, type Features } from '../../shared/domain/editions.ts';
import { incomingEvents } from '../../shared/events/schemas/incoming.ts';
import { operations } from '../../shared/openapi/operations.ts';
import { BASE_PATH, type RouteId, routeIds, routes } from '../../shared/routes.ts';
import { readSuccesses, testsThatRan } from './endpoint-tests.ts';

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

/** `4.1` before `4.2`, and the specification before what completes it. */
const inOrder = (a: string, b: string): number =>
  Number(b.startsWith('spec')) - Number(a.startsWith('spec')) || a.localeCompare(b, 'en', { numeric: true });

interface EndpointRow {
  readonly section: string;
  readonly path: string;
  readonly routes: readonly RouteId[];
}

/** A row for each path. */
const endpointRows: readonly EndpointRow[] = Object.entries(
  Object.groupBy(routeIds, (id) => `${operations[id].section}|${routes[id].path}`),
)
  .map(([key, ids = []]) => {
    const [section = '', path = ''] = key.split('|');
    return { section, path, routes: ids };
  })
  .sort((a, b) => inOrder(a.section, b.section));

const endpointOf = ({ path, routes: ids }: EndpointRow): string =>
  `${ids.map((id) => routes[id].method).join(', ')} \`${path.replace(BASE_PATH, '')}\``;

/** The tests that the README names for each route; none where it does not. */
export const testsInReadme = (readme: string): ReadonlyMap<RouteId, readonly string[]> => {
  const named = new Map(
    [...readme.matchAll(/^\|[^|]*\| ([A-Z, ]+ `[^`]+`) \| ([^|]*) \|$/gm)].map(([, endpoint, tests = '']) => [
      endpoint,
      tests.split(', '),
    ]),
  );
  return new Map(endpointRows.flatMap((row) => row.routes.map((id) => [id, named.get(endpointOf(row)) ?? []])));
};

const endpointsTable = (tests: ReadonlyMap<RouteId, readonly string[]>): string =>
  table(
    ['Section', 'Endpoint', 'Test'],
    endpointRows.map((row, index) => [
      row.section === endpointRows[index - 1]?.section ? '' : row.section,
      endpointOf(row),
      [...new Set(row.routes.flatMap((id) => tests.get(id) ?? []))].join(', '),
    ]),
  );

/**
 * A test that each route succeeded in: those which the README names, unless they ran and it did not, else the likeliest.
 * @throws Error when there is none.
 */
const provenTests = (readme: string): ReadonlyMap<RouteId, readonly string[]> => {
  const named = testsInReadme(readme);
  const ran = testsThatRan();
  return new Map(
    [...readSuccesses()].map(([id, tests]) => {
      const kept = named.get(id)?.filter((test) => test !== '' && (!ran.includes(test) || tests.includes(test))) ?? [];
      const likeliest = tests.find((test) => [routes[id].function, id.split('.')[0]].includes(test)) ?? tests[0];
      if (kept.length > 0) return [id, kept];
      if (likeliest === undefined) {
        throw new Error(`No test of its own has had ${id} succeed: npx vitest run test/endpoints/…`);
      }
      return [id, [likeliest]];
    }),
  );
};

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Described[];
}

/** A row for each member of an event that comes in, with all that is in it; bold ones must be there. */
const membersOf = (schema: Described, path = ''): string[][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const spelled = `\`${path}${name}\``;
    const inner = member.anyOf?.[0] ?? member;
    return [
      [schema.required?.includes(name) ? `**${spelled}**` : spelled, inner.description ?? ''],
      ...membersOf(inner, `${path}${name}.`),
    ];
  });

const tables: Readonly<Record<string, string>> = {
  incoming: table(
    ['Event', 'Member', 'Meaning'],
    Object.entries(incomingEvents).flatMap(([type, schema]) =>
      membersOf(schema as Described).map((row, index) => [index === 0 ? `\`${type}\`` : '', ...row]),
    ),
  ),
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

/** The README with its tables as the code has them, and the tests of the endpoints that are given. */
export const withTables = (readme: string, tests = testsInReadme(readme)): string =>
  Object.entries({ ...tables, endpoints: endpointsTable(tests) }).reduce(
    (text, [name, rows]) =>
      text.replace(
        new RegExp(`(<!-- ${name}: [^>]*-->\\n\\n)(?:\\|.*\\n)*\\n?`),
        (_, mark: string) => `${mark}${rows}\n\n`,
      ),
    readme,
  );

if (import.meta.main) writeFileSync(file, withTables(readReadme(), provenTests(readReadme())));
