import type { TSchema } from 'typebox';
import { type AlarmKind, alarmKinds } from '../../../infra/constructs/alarms.ts';
import {
  outputName,
  type PublishedName,
  parameterName,
  publishedValues,
} from '../../../infra/constructs/published-values.ts';
import { hubAlarms, hubSettingDefinitions, hubValues } from '../../../infra/hub/hub-definitions.ts';
import { settingDefinitions } from '../../../infra/settings/settings.ts';
import { recordTypes, types } from '../../../shared/bundle/types.ts';
import { editionNames, editions, type Features } from '../../../shared/domain/editions.ts';
import { incomingEvents } from '../../../shared/events/schemas/incoming.ts';
import { outgoingEvents } from '../../../shared/events/schemas/outgoing.ts';
import { organizationEvents } from '../../../shared/events/schemas/outgoing-organization.ts';
import { variableSetEvents } from '../../../shared/events/schemas/outgoing-variable-sets.ts';
import { type Replay, replays } from '../../../shared/http/idempotency/replays.ts';
import type { OperationDescription } from '../../../shared/openapi/operation.ts';
import { groups } from '../../../shared/openapi/operations/index.ts';
import { filterParameters } from '../../../shared/openapi/operations/workspaces.ts';
import { BASE_PATH } from '../../../shared/routes/api.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { workspaceIncludeTypes } from '../../../shared/routes/route.ts';
import { commands } from '../../../shared/schemas/admin-commands.ts';
import { commandName } from '../../../shared/schemas/command-name.ts';
import { markdownTable } from './generated-tables.ts';
import { limitTables } from './limit-tables.ts';

/** The tables of the documentation that are generated from code. */

const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  markdownTable(
    head,
    rows.map((row) => row.map(cell)),
  );

const defaultOf = (value: unknown): string => {
  const isEmpty = value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
  if (isEmpty) return '';
  const members = typeof value === 'object' && value !== null && !Array.isArray(value);
  return `\`${members ? JSON.stringify(value) : value}\``;
};

const code = (text: string): string => `\`${text}\``;

const recordRows = recordTypes.map((type) => {
  const { content, identity, references = {} } = types[type];
  const named = Object.entries(references).map(([member, target]) => `${code(member)}: ${code(target)}`);
  return [code(`${type}.jsonl`), content, identity.map(code).join(', '), named.join(', ')];
});

interface Difference {
  readonly subject: string;
  readonly offered: string;
  readonly otherwise: string;
}

/** Describes each feature to clients; `test/endpoints/workspaces/editions.test.ts` compares both editions with it. */
const differences: Readonly<Record<keyof Features, Difference>> = {
  healthAssessments: {
    subject: '`assessments-enabled`, `assessments-enforced`',
    offered: 'for organizations of plan `plus`; see `assessmentsEnforced`',
    otherwise: '422 in requests, absent in responses',
  },
  holdYourOwnKey: { subject: '`hyok-enabled`', offered: 'false in responses', otherwise: 'absent' },
  globalRemoteStateDefault: {
    subject: '`global-remote-state` of a new workspace',
    offered: 'the setting `globalRemoteStateDefault`',
    otherwise: 'false',
  },
  retentionPolicies: {
    subject: 'data retention policies',
    offered: 'their paths, their attributes, `data-retention-policy`',
    otherwise: '404, absent',
  },
};

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Described[];
}

/** One row for each member of an incoming event, nested members included; required ones are bold. */
const memberRows = (schema: Described, path = ''): string[][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const code = `\`${path}${name}\``;
    const inner = member.anyOf?.[0] ?? member;
    return [
      [schema.required?.includes(name) ? `**${code}**` : code, inner.description ?? ''],
      ...memberRows(inner, `${path}${name}.`),
    ];
  });

/** Describes what a repeated request gets (HTTP-39). */
const describeReplay = (replay: Replay | 'again' | undefined): string => {
  if (replay === undefined) return 'empty';
  if (replay === 'again') return 'executed again';
  if (replay.secret === undefined) return 'document';
  return replay.secret === 'token' ? '409' : 'document or 409';
};

/** One row for each route, in the order and groups of the OpenAPI document. */
const endpointRows = (): string[][] =>
  groups.flatMap((group) =>
    Object.entries(group.operations as Readonly<Record<string, OperationDescription>>).map(
      ([id, { summary, rule }], index) => {
        const { method, path, function: name } = routes[id as RouteId];
        const replay = (replays as Readonly<Record<string, Replay | 'again'>>)[id];
        const repeated = method === 'GET' ? '' : describeReplay(replay);
        return [
          index === 0 ? group.name : '',
          `${method} \`${path.replace(BASE_PATH, '')}\``,
          summary,
          rule,
          `\`${name}\``,
          repeated,
        ];
      },
    ),
  );

const settingRows = (definitions: Readonly<Record<string, { readonly fallback: unknown; readonly means: string }>>) =>
  Object.entries(definitions).map(([name, { fallback, means }]) => [`\`${name}\``, defaultOf(fallback), means]);

const valueRows = (values: Readonly<Record<string, string>>): string[][] =>
  Object.entries(values).map(([name, means]) => [
    `\`${outputName(name as PublishedName)}\``,
    `\`${parameterName({ name: 'holdfast' }, name as PublishedName)}\``,
    means,
  ]);

/** Builds the rows of alarms. @param prefix text before the names. */
const alarmRows = (alarms: Readonly<Record<string, AlarmKind>>, prefix = ''): string[][] =>
  Object.entries(alarms).map(([name, { means, act }]) => [`\`${prefix}${name}\``, means, act]);

/** One row for each type of event, with the description of its schema. */
const eventTable = (schemas: Readonly<Record<string, TSchema>>): readonly string[] =>
  table(
    ['Type', 'Meaning'],
    Object.entries(schemas).map(([type, schema]) => [`\`${type}\``, (schema as Described).description ?? '']),
  );

const filterTable = table(
  ['Parameter', 'Meaning'],
  Object.entries(filterParameters()).map(([name, schema]) => [`\`${name}\``, (schema as Described).description ?? '']),
);

const includeTable = table(
  ['Value', 'Types of the included resources'],
  Object.entries(workspaceIncludeTypes).map(([name, types]) => [
    `\`${name}\``,
    types.map((type) => `\`${type}\``).join(', ') || 'none',
  ]),
);

/** The generated tables of each page, by the names of their marks. */
export const pageTables: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'docs/reference/limits.md': limitTables,
  'docs/reference/lists.md': { filters: filterTable },
  'docs/concepts/lists.md': { filters: filterTable },
  'docs/reference/http.md': { includes: includeTable },
  'docs/reference/events.md': {
    workspaces: eventTable(outgoingEvents),
    'variable-sets': eventTable(variableSetEvents),
    organizations: eventTable(organizationEvents),
  },
  'docs/reference/bundle.md': { 'record-types': table(['File', 'Content', 'Identified by', 'Refers to'], recordRows) },
  'docs/operate/settings.md': {
    settings: table(['Setting', 'Default', 'Meaning'], settingRows(settingDefinitions)),
  },
  'docs/operate/hub.md': {
    settings: table(['Setting', 'Default', 'Meaning'], settingRows(hubSettingDefinitions)),
    published: table(['Output', 'Parameter', 'Value'], valueRows(hubValues)),
    alarms: table(['Alarm', 'Meaning', 'What to do'], alarmRows(hubAlarms, 'holdfast-')),
  },
  'docs/operate/deploy.md': {
    published: table(['Output', 'Parameter', 'Value'], valueRows(publishedValues)),
  },
  'docs/operate/alarms.md': {
    alarms: table(['Alarm', 'Meaning', 'What to do'], alarmRows(alarmKinds)),
  },
  'docs/operate/admin-commands.md': {
    'admin-commands': table(
      ['Command', 'Effect'],
      Object.entries(commands).map(([key, { description }]) => [`\`${commandName(key)}\``, description]),
    ),
  },
  'docs/concepts/editions.md': {
    editions: table(
      ['Subject', ...editionNames],
      Object.entries(differences).map(([feature, { subject, offered, otherwise }]) => [
        subject,
        ...editionNames.map((edition) => (editions[edition][feature as keyof Features] ? offered : otherwise)),
      ]),
    ),
  },
  'docs/concepts/runs.md': {
    incoming: table(
      ['Event', 'Member', 'Meaning'],
      Object.entries(incomingEvents).flatMap(([type, schema]) =>
        memberRows(schema as Described).map((row, index) => [index === 0 ? `\`${type}\`` : '', ...row]),
      ),
    ),
  },
  'docs/reference/endpoints.md': {
    endpoints: table(['Group', 'Endpoint', 'Summary', 'Rule', 'Function', 'Repeated'], endpointRows()),
  },
};
