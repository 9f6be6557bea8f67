import type { Schemas, Workspace } from '../../api/types.ts';

/** Value of `connection` for a repository that an app installation connects. */
export const APP_INSTALLATION = 'app-installation';

/** Values of the form of settings. Unchanged ones are not sent, so that nobody else's change is undone. */
export interface SettingsValues {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly directory: string;
  readonly mode: 'inherit' | 'remote' | 'local' | 'agent';
  readonly pool: string;
  readonly protection: 'inherit' | 'true' | 'false';
  readonly isAutoApplied: boolean;
  readonly isTriggeredRunApplied: boolean;
  readonly isSpeculative: boolean;
  readonly isDestroyAllowed: boolean;
  readonly isEveryRunQueued: boolean;
  readonly isOutputStructured: boolean;
  /** Id of the VCS connection, or `APP_INSTALLATION`; empty without a repository. */
  readonly connection: string;
  /** Id of the app installation that connects the repository in place of a VCS connection (WS-43). */
  readonly installation: string;
  readonly repository: string;
  readonly branch: string;
  readonly tagsRegex: string;
  readonly hasSubmodules: boolean;
  readonly isTriggeredByFiles: boolean;
  /** One in each line. */
  readonly patterns: string;
  /** One in each line. */
  readonly prefixes: string;
  readonly autoDestroy: 'inherit' | 'off' | 'time' | 'inactivity';
  /** Local time without a zone, such as `2030-01-31T08:00`. */
  readonly autoDestroyAt: string;
  readonly autoDestroyDuration: string;
  readonly sharing: 'consumers' | 'project' | 'organization';
}

type Attributes = Workspace['attributes'];

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Formats a time for a field of the type `datetime-local`. */
const toLocalTime = (time: string | null): string => {
  if (time === null) return '';
  const date = new Date(time);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
};

/** Formats the local time of a field for the API. An incomplete time stays as it is, and the API rejects it. */
const fromLocalTime = (time: string): string => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
};

const autoDestroyOf = (attributes: Attributes): SettingsValues['autoDestroy'] => {
  if (attributes['inherits-project-auto-destroy']) return 'inherit';
  if (attributes['auto-destroy-activity-duration'] !== null) return 'inactivity';
  return attributes['auto-destroy-at'] === null ? 'off' : 'time';
};

const sharingOf = (attributes: Attributes): SettingsValues['sharing'] => {
  if (attributes['global-remote-state']) return 'organization';
  return attributes['project-remote-state'] ? 'project' : 'consumers';
};

const protectionOf = (attributes: Attributes): SettingsValues['protection'] => {
  if (!attributes['setting-overwrites']['deletion-protection']) return 'inherit';
  return attributes['deletion-protection'] ? 'true' : 'false';
};

/** Returns the values of the form for a workspace. */
export const toSettingsValues = ({ attributes }: Pick<Workspace, 'attributes'>): SettingsValues => {
  const repository = attributes['vcs-repo'];
  const autoDestroy = autoDestroyOf(attributes);
  return {
    name: attributes.name,
    description: attributes.description ?? '',
    version: attributes['infra-version'],
    directory: attributes['working-directory'] ?? '',
    mode: attributes['setting-overwrites']['execution-mode'] ? attributes['execution-mode'] : 'inherit',
    pool: attributes['agent-pool-id'] ?? '',
    protection: protectionOf(attributes),
    isAutoApplied: attributes['auto-apply'],
    isTriggeredRunApplied: attributes['auto-apply-run-trigger'],
    isSpeculative: attributes['speculative-enabled'],
    isDestroyAllowed: attributes['allow-destroy-plan'],
    isEveryRunQueued: attributes['queue-all-runs'],
    isOutputStructured: attributes['structured-run-output-enabled'],
    connection: repository?.['oauth-token-id'] ?? (repository?.['app-installation-id'] ? APP_INSTALLATION : ''),
    installation: repository?.['app-installation-id'] ?? '',
    repository: repository?.identifier ?? '',
    branch: repository?.branch ?? '',
    tagsRegex: repository?.['tags-regex'] ?? '',
    hasSubmodules: repository?.['ingress-submodules'] ?? false,
    isTriggeredByFiles: attributes['file-triggers-enabled'],
    patterns: attributes['trigger-patterns'].join('\n'),
    prefixes: attributes['trigger-prefixes'].join('\n'),
    autoDestroy,
    // With a duration, the time follows from it.
    autoDestroyAt: autoDestroy === 'time' ? toLocalTime(attributes['auto-destroy-at']) : '',
    autoDestroyDuration: autoDestroy === 'inactivity' ? (attributes['auto-destroy-activity-duration'] ?? '') : '',
    sharing: sharingOf(attributes),
  };
};

type ChangedAttributes = NonNullable<Schemas['WorkspaceUpdateBody']['data']['attributes']>;

const orNull = (text: string): string | null => (text === '' ? null : text);

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type IsChanged = (...names: readonly (keyof SettingsValues)[]) => boolean;

const changedRepository = (before: SettingsValues, after: SettingsValues, isChanged: IsChanged): ChangedAttributes => {
  if (!isChanged('connection', 'installation', 'repository', 'branch', 'tagsRegex', 'hasSubmodules')) return {};
  // The OpenAPI document mentions null, which removes the repository, only in the description.
  const none = null as never;
  if (after.connection === '') return before.connection === '' ? {} : { 'vcs-repo': none };
  const connection =
    after.connection === APP_INSTALLATION
      ? { 'app-installation-id': after.installation }
      : { 'oauth-token-id': after.connection };
  return {
    'vcs-repo': {
      ...(isChanged('connection', 'installation') && connection),
      ...((isChanged('repository') || before.connection === '') && { identifier: after.repository }),
      ...(isChanged('branch') && { branch: after.branch }),
      ...(isChanged('tagsRegex') && { 'tags-regex': orNull(after.tagsRegex) }),
      ...(isChanged('hasSubmodules') && { 'ingress-submodules': after.hasSubmodules }),
    },
  };
};

const changedAutoDestroy = (after: SettingsValues, isChanged: IsChanged): ChangedAttributes => {
  if (!isChanged('autoDestroy', 'autoDestroyAt', 'autoDestroyDuration')) return {};
  switch (after.autoDestroy) {
    case 'inherit':
      return isChanged('autoDestroy') ? { 'inherits-project-auto-destroy': true } : {};
    case 'off':
      return isChanged('autoDestroy') ? { 'auto-destroy-at': null, 'inherits-project-auto-destroy': false } : {};
    case 'time':
      return { 'auto-destroy-at': fromLocalTime(after.autoDestroyAt) };
    case 'inactivity':
      return { 'auto-destroy-activity-duration': after.autoDestroyDuration };
  }
};

/** Builds the attributes of an update from the values that differ from the stored ones. */
export const changedAttributes = (before: SettingsValues, after: SettingsValues): ChangedAttributes => {
  const isChanged: IsChanged = (...names) => names.some((name) => before[name] !== after[name]);
  const isModeChanged = isChanged('mode') || (after.mode === 'agent' && isChanged('pool'));
  const inherits = {
    ...(isModeChanged && after.mode === 'inherit' && { 'execution-mode': false, 'agent-pool': false }),
    ...(isChanged('protection') && after.protection === 'inherit' && { 'deletion-protection': false }),
  };
  return {
    ...(isChanged('name') && { name: after.name }),
    ...(isChanged('description') && { description: orNull(after.description) }),
    ...(isChanged('version') && { 'infra-version': after.version }),
    ...(isChanged('directory') && { 'working-directory': orNull(after.directory) }),
    ...(isModeChanged && after.mode !== 'inherit' && { 'execution-mode': after.mode }),
    ...(isModeChanged && after.mode === 'agent' && { 'agent-pool-id': orNull(after.pool) }),
    ...(isChanged('protection') &&
      after.protection !== 'inherit' && { 'deletion-protection': after.protection === 'true' }),
    ...(isChanged('isAutoApplied') && { 'auto-apply': after.isAutoApplied }),
    ...(isChanged('isTriggeredRunApplied') && { 'auto-apply-run-trigger': after.isTriggeredRunApplied }),
    ...(isChanged('isSpeculative') && { 'speculative-enabled': after.isSpeculative }),
    ...(isChanged('isDestroyAllowed') && { 'allow-destroy-plan': after.isDestroyAllowed }),
    ...(isChanged('isEveryRunQueued') && { 'queue-all-runs': after.isEveryRunQueued }),
    ...(isChanged('isOutputStructured') && { 'structured-run-output-enabled': after.isOutputStructured }),
    ...(Object.keys(inherits).length > 0 && { 'setting-overwrites': inherits }),
    ...changedRepository(before, after, isChanged),
    ...(isChanged('isTriggeredByFiles') && { 'file-triggers-enabled': after.isTriggeredByFiles }),
    ...(isChanged('patterns') && { 'trigger-patterns': lines(after.patterns) }),
    ...(isChanged('prefixes') && { 'trigger-prefixes': lines(after.prefixes) }),
    ...changedAutoDestroy(after, isChanged),
    ...(isChanged('sharing') && {
      'global-remote-state': after.sharing === 'organization',
      'project-remote-state': after.sharing === 'project',
    }),
  };
};
