import type { ExecutionMode, Schemas, Workspace } from '../../../../../shared/client/types.ts';

/** Value of `oauth-token-id` in the form for a repository that an app installation connects. */
export const APP_INSTALLATION = 'app-installation';

type Attributes = Workspace['attributes'];

type ChangedAttributes = NonNullable<Schemas['WorkspaceUpdateBody']['data']['attributes']>;

type ChangedRepository = NonNullable<ChangedAttributes['vcs-repo']>;

/** Attributes of an update and of its repository that the form does not offer. */
type NotOffered =
  // Other names of attributes.
  | 'operations'
  | 'terraform-version'
  | 'github-app-installation-id'
  // Only the client that creates the workspace sends them.
  | 'source-name'
  | 'source-url'
  // Other values of the form stand for them.
  | 'global-remote-state'
  | 'setting-overwrites'
  | 'vcs-repo';

/** Flags about runs, with a hint where the label does not say enough. */
export const runFlags = {
  'auto-apply': undefined,
  'auto-apply-run-trigger': undefined,
  'speculative-enabled': 'A pull request starts a run that only plans.',
  'allow-destroy-plan': undefined,
  'queue-all-runs': 'Otherwise commits start runs only after somebody has started one.',
  'structured-run-output-enabled': undefined,
} as const;

export const runFlagNames = Object.keys(runFlags) as (keyof typeof runFlags)[];

/** Values that an update sends as they are. */
const copied = ['name', 'infra-version', 'file-triggers-enabled', ...runFlagNames] as const;

/** Texts that are null while they are empty. */
const optional = ['description', 'working-directory'] as const;

/** Lists of texts, one per line. */
const lists = ['trigger-patterns', 'trigger-prefixes'] as const;

interface Values
  extends Pick<Attributes, (typeof copied)[number]>,
    Readonly<Record<(typeof optional | typeof lists)[number], string>> {
  readonly 'execution-mode': 'inherit' | ExecutionMode;
  readonly 'agent-pool-id': string;
  readonly 'deletion-protection': 'inherit' | 'true' | 'false';
  /** Id of the VCS connection, or `APP_INSTALLATION`; empty without a repository. */
  readonly 'oauth-token-id': string;
  /** Id of the app installation that connects the repository in place of a VCS connection (WS-43). */
  readonly 'app-installation-id': string;
  readonly identifier: string;
  readonly branch: string;
  readonly 'tags-regex': string;
  readonly 'ingress-submodules': boolean;
  readonly 'inherits-project-auto-destroy': 'inherit' | 'off' | 'time' | 'inactivity';
  /** Local time without a zone, such as `2030-01-31T08:00`. */
  readonly 'auto-destroy-at': string;
  readonly 'auto-destroy-activity-duration': string;
  readonly 'project-remote-state': 'consumers' | 'project' | 'organization';
}

/**
 * Values of the form of settings, by the attributes that errors of the API name. Unchanged ones are not sent, so that nobody
 * else's change is undone. A new attribute of an update is missing in `toSettingsValues` until one of the lists above has it.
 */
export type SettingsValues = Values &
  Readonly<Record<Exclude<keyof ChangedAttributes | keyof ChangedRepository, NotOffered>, unknown>>;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Formats a time for a field of the type `datetime-local`. */
const toLocalTime = (time: string | null): string => {
  if (time === null) return '';
  const date = new Date(time);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
};

/** Formats the local time of a field for the API. An incomplete time stays unchanged, and the API rejects it. */
const fromLocalTime = (time: string): string => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
};

const autoDestroyOf = (attributes: Attributes): SettingsValues['inherits-project-auto-destroy'] => {
  if (attributes['inherits-project-auto-destroy']) return 'inherit';
  if (attributes['auto-destroy-activity-duration'] !== null) return 'inactivity';
  return attributes['auto-destroy-at'] === null ? 'off' : 'time';
};

const sharingOf = (attributes: Attributes): SettingsValues['project-remote-state'] => {
  if (attributes['global-remote-state']) return 'organization';
  return attributes['project-remote-state'] ? 'project' : 'consumers';
};

const protectionOf = (attributes: Attributes): SettingsValues['deletion-protection'] => {
  if (!attributes['setting-overwrites']['deletion-protection']) return 'inherit';
  return attributes['deletion-protection'] ? 'true' : 'false';
};

const pick = <T, N extends keyof T>(values: T, names: readonly N[]): Pick<T, N> =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<T, N>;

/** Builds an object with a value for each name. */
const convert = <N extends string, T>(names: readonly N[], toValue: (name: N) => T): Readonly<Record<N, T>> =>
  Object.fromEntries(names.map((name) => [name, toValue(name)])) as Record<N, T>;

/** Returns the values of the form for a workspace. */
export const toSettingsValues = ({ attributes }: Pick<Workspace, 'attributes'>): SettingsValues => {
  const repository = attributes['vcs-repo'];
  const autoDestroy = autoDestroyOf(attributes);
  return {
    ...pick(attributes, copied),
    ...convert(optional, (name) => attributes[name] ?? ''),
    ...convert(lists, (name) => attributes[name].join('\n')),
    'execution-mode': attributes['setting-overwrites']['execution-mode'] ? attributes['execution-mode'] : 'inherit',
    'agent-pool-id': attributes['agent-pool-id'] ?? '',
    'deletion-protection': protectionOf(attributes),
    'oauth-token-id': repository?.['oauth-token-id'] ?? (repository?.['app-installation-id'] ? APP_INSTALLATION : ''),
    'app-installation-id': repository?.['app-installation-id'] ?? '',
    identifier: repository?.identifier ?? '',
    branch: repository?.branch ?? '',
    'tags-regex': repository?.['tags-regex'] ?? '',
    'ingress-submodules': repository?.['ingress-submodules'] ?? false,
    'inherits-project-auto-destroy': autoDestroy,
    // With a duration, the time follows from it.
    'auto-destroy-at': autoDestroy === 'time' ? toLocalTime(attributes['auto-destroy-at']) : '',
    'auto-destroy-activity-duration':
      autoDestroy === 'inactivity' ? (attributes['auto-destroy-activity-duration'] ?? '') : '',
    'project-remote-state': sharingOf(attributes),
  };
};

const orNull = (text: string): string | null => (text === '' ? null : text);

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type IsChanged = (...names: readonly (keyof SettingsValues)[]) => boolean;

const changedRepository = (before: SettingsValues, after: SettingsValues, isChanged: IsChanged): ChangedAttributes => {
  const isConnectionChanged = isChanged('oauth-token-id', 'app-installation-id');
  if (!isConnectionChanged && !isChanged('identifier', 'branch', 'tags-regex', 'ingress-submodules')) return {};
  // The OpenAPI document mentions null, which removes the repository, only in the description.
  const none = null as never;
  const isNew = before['oauth-token-id'] === '';
  if (after['oauth-token-id'] === '') return isNew ? {} : { 'vcs-repo': none };
  const connection =
    after['oauth-token-id'] === APP_INSTALLATION
      ? pick(after, ['app-installation-id'])
      : pick(after, ['oauth-token-id']);
  return {
    'vcs-repo': {
      ...(isConnectionChanged && connection),
      ...((isChanged('identifier') || isNew) && pick(after, ['identifier'])),
      ...(isChanged('branch') && pick(after, ['branch'])),
      ...(isChanged('tags-regex') && { 'tags-regex': orNull(after['tags-regex']) }),
      ...(isChanged('ingress-submodules') && pick(after, ['ingress-submodules'])),
    },
  };
};

const changedAutoDestroy = (after: SettingsValues, isChanged: IsChanged): ChangedAttributes => {
  const isChoiceChanged = isChanged('inherits-project-auto-destroy');
  if (!isChoiceChanged && !isChanged('auto-destroy-at', 'auto-destroy-activity-duration')) return {};
  switch (after['inherits-project-auto-destroy']) {
    case 'inherit':
      return isChoiceChanged ? { 'inherits-project-auto-destroy': true } : {};
    case 'off':
      return isChoiceChanged
        ? { 'auto-destroy-at': null, 'auto-destroy-activity-duration': null, 'inherits-project-auto-destroy': false }
        : {};
    case 'time':
      return { 'auto-destroy-at': fromLocalTime(after['auto-destroy-at']) };
    case 'inactivity':
      return pick(after, ['auto-destroy-activity-duration']);
  }
};

/** Builds the attributes of an update from the values that differ from the stored ones. */
export const changedAttributes = (before: SettingsValues, after: SettingsValues): ChangedAttributes => {
  const isChanged: IsChanged = (...names) => names.some((name) => before[name] !== after[name]);
  const changed = <N extends keyof SettingsValues>(names: readonly N[]) => names.filter((name) => isChanged(name));
  const mode = after['execution-mode'];
  const isModeChanged = isChanged('execution-mode') || (mode === 'agent' && isChanged('agent-pool-id'));
  const protection = after['deletion-protection'];
  const inherits = {
    ...(isModeChanged && mode === 'inherit' && { 'execution-mode': false, 'agent-pool': false }),
    ...(isChanged('deletion-protection') && protection === 'inherit' && { 'deletion-protection': false }),
  };
  return {
    ...pick(after, changed(copied)),
    ...convert(changed(optional), (name) => orNull(after[name])),
    ...convert(changed(lists), (name) => lines(after[name])),
    ...(isModeChanged && mode !== 'inherit' && { 'execution-mode': mode }),
    ...(isModeChanged && mode === 'agent' && { 'agent-pool-id': orNull(after['agent-pool-id']) }),
    ...(isChanged('deletion-protection') &&
      protection !== 'inherit' && { 'deletion-protection': protection === 'true' }),
    ...(Object.keys(inherits).length > 0 && { 'setting-overwrites': inherits }),
    ...changedRepository(before, after, isChanged),
    ...changedAutoDestroy(after, isChanged),
    ...(isChanged('project-remote-state') && {
      'global-remote-state': after['project-remote-state'] === 'organization',
      'project-remote-state': after['project-remote-state'] === 'project',
    }),
  };
};
