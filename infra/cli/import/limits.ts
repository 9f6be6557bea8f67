import type { RecordOf } from '../../../shared/bundle/types.ts';
import { limits } from '../../../shared/domain/limits.ts';
import { LARGEST_STATE } from '../state-file.ts';
import type { InventoryType, Unit } from './inventory.ts';
import type { SourceVersion } from './source.ts';

/** Form of the names of workspaces and projects (WS-2, PROJECT-1), as sentences for people. */
const WORKSPACE_NAME = /^[A-Za-z0-9_-]+$/;

const tooLong = (member: string, text: string | null | undefined, most: number): string[] =>
  text && text.length > most ? [`${member} has ${text.length} characters, and at most ${most} are allowed.`] : [];

const tooMany = (what: string, count: number, most: number): string[] =>
  count > most ? [`It has ${count} ${what}, and at most ${most} are allowed.`] : [];

const bindingsOf = ({
  'tag-bindings': bindings = {},
}: {
  readonly 'tag-bindings'?: Readonly<Record<string, string>>;
}) =>
  Object.entries(bindings).flatMap(([key, value]) => [
    ...tooLong(`The key of the tag ${key}`, key, limits.bindingKey),
    ...tooLong(`The value of the tag ${key}`, value, limits.bindingValue),
  ]);

const variableLimits = ({ key, value, description }: RecordOf<'variables'> | RecordOf<'variable-set-variables'>) => [
  ...tooLong('key', key, limits.variableKey),
  ...tooLong('description', description, limits.variableDescription),
  ...(value && Buffer.byteLength(value) > limits.variableValue
    ? [`value has ${Buffer.byteLength(value)} bytes, and at most ${limits.variableValue} are allowed.`]
    : []),
];

const recordName = ({ name }: { readonly name: string }): string[] => tooLong('name', name, limits.recordName);

/** Finds what in a record exceeds a limit of the service (LIMIT-1 to LIMIT-4), so that a plan shows it before the first write. */
const checks: { readonly [T in InventoryType]?: (record: RecordOf<T>) => readonly string[] } = {
  projects: (project) => [
    ...tooLong('name', project.name, limits.projectName),
    ...tooLong('description', project.description, limits.recordDescription),
    ...tooMany('tags with values', Object.keys(project['tag-bindings'] ?? {}).length, limits.bindings),
    ...bindingsOf(project),
  ],
  teams: (team) => [...recordName(team), ...tooLong('sso-team-id', team['sso-team-id'], limits.ssoTeamId)],
  'agent-pools': recordName,
  'ssh-keys': recordName,
  'vcs-connections': recordName,
  workspaces: (workspace) => [
    ...(WORKSPACE_NAME.test(workspace.name) ? [] : ['The name has characters other than letters, digits, - and _.']),
    ...tooLong('name', workspace.name, limits.workspaceName),
    ...tooLong('description', workspace.description, limits.description),
    ...tooLong('working-directory', workspace['working-directory'], limits.workingDirectory),
    ...tooLong('source-name', workspace['source-name'], limits.sourceName),
    ...tooLong('source-url', workspace['source-url'], limits.sourceUrl),
    ...tooMany('tags', workspace['tag-names']?.length ?? 0, limits.tags),
    ...tooMany('tags with values', Object.keys(workspace['tag-bindings'] ?? {}).length, limits.bindings),
    ...(workspace['tag-names'] ?? []).flatMap((tag) => tooLong(`The tag ${tag}`, tag, limits.tagName)),
    ...bindingsOf(workspace),
    ...tooMany('trigger patterns', workspace['trigger-patterns']?.length ?? 0, limits.patterns),
    ...tooMany('trigger prefixes', workspace['trigger-prefixes']?.length ?? 0, limits.patterns),
  ],
  variables: variableLimits,
  'variable-set-variables': variableLimits,
  'variable-sets': ({ name, description, workspaces, projects }) => [
    ...recordName({ name }),
    ...tooLong('description', description, limits.variableSetDescription),
    ...tooMany('workspaces', workspaces?.length ?? 0, limits.variableSetAssignments),
    ...tooMany('projects', projects?.length ?? 0, limits.variableSetAssignments),
  ],
};

/** Returns what in a record exceeds a limit of the service, as sentences. */
export const exceededLimits = <T extends InventoryType>(type: T, record: RecordOf<T>): readonly string[] =>
  (checks[type] as ((record: RecordOf<T>) => readonly string[]) | undefined)?.(record) ?? [];

/** Returns why a state version cannot be carried, as far as the source says it before its content is read. */
export const exceededByState = ({ size }: SourceVersion): readonly string[] =>
  (size ?? 0) > LARGEST_STATE ? [`The state has ${size} bytes, and at most ${LARGEST_STATE} are allowed.`] : [];

/** Returns why all variables of a workspace cannot be carried. */
export const exceededByUnit = ({ variables }: Unit): readonly string[] =>
  tooMany('variables', variables.length, limits.variables);
