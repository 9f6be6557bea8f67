import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../errors.ts';
import { newestStable, resolveVersion } from '../../infra-versions/versions.ts';
import type { LongText, PlainSettings, RuledSettings, Settings } from '../workspace-record.ts';
import { checkAssessments } from './assessments.ts';
import { configureAutoDestroy } from './auto-destroy-settings.ts';
import { type Configuration, type ConfigurationContext, type ConfigurationRequest, given } from './configuration.ts';
import { checkPoolScope, configureExecution } from './execution.ts';
import { checkTriggers, configureRepository, configureTriggers } from './repository.ts';

const unconfigured = (plainDefaults: PlainSettings, configurationContext: ConfigurationContext): Configuration => ({
  name: '',
  settings: {
    ...plainDefaults,
    assessmentsEnabled: false,
    autoDestroyAt: null,
    autoDestroyActivityDuration: null,
    inheritsProjectAutoDestroy: true,
    executionMode: null,
    agentPool: null,
    fileTriggersEnabled: true,
    globalRemoteState: configurationContext.globalRemoteState,
    projectRemoteState: false,
    sourceName: null,
    sourceUrl: null,
    infraVersion: newestStable(configurationContext.releases) ?? 'latest',
  },
  text: { description: null, triggerPatterns: [], triggerPrefixes: [] },
  overwrites: { executionMode: false, agentPool: false },
  vcsRepo: null,
});

/** Computes with whom the state is shared (WS-49). @throws DomainError 422 if it is shared in both ways. */
const configureStateSharing = (
  previous: Settings,
  request: ConfigurationRequest,
): Pick<Settings, 'globalRemoteState' | 'projectRemoteState'> => {
  const globalRemoteState = given(request.globalRemoteState, previous.globalRemoteState);
  const projectRemoteState = given(request.projectRemoteState, previous.projectRemoteState);
  if (globalRemoteState && projectRemoteState) {
    throw invalid(
      'project-remote-state',
      'Project remote state cannot be enabled when global remote state sharing is enabled',
    );
  }
  return { globalRemoteState, ...(projectRemoteState !== undefined && { projectRemoteState }) };
};

/**
 * Computes the workspace's own deletion protection (DEL-12). An overwrite of the request decides: false ignores a value in
 * the same request.
 * @throws DomainError 422 for an overwrite without a value.
 */
const configureProtection = (
  { deletionProtection: before }: Settings,
  { overwrites = {}, deletionProtection: requested }: ConfigurationRequest,
): Pick<Settings, 'deletionProtection'> => {
  const isOwn = overwrites.deletionProtection;
  const own = isOwn === false ? null : (requested ?? before);
  if (isOwn === true && (own ?? null) === null) {
    throw invalid(
      'deletion-protection',
      "Deletion protection must be given when 'setting-overwrites.deletion-protection' is true and the workspace has none of its own",
    );
  }
  return (own ?? null) === (before ?? null) ? {} : { deletionProtection: own as boolean | null };
};

/** Returns where the workspace was imported from (WS-50). @throws DomainError 422 if the request has another value. */
const keptOrigin = (
  { importedFrom }: Settings,
  { importedFrom: requested }: ConfigurationRequest,
): Pick<Settings, 'importedFrom'> => {
  if (requested !== undefined && !isDeepStrictEqual(requested ?? undefined, importedFrom)) {
    throw invalid('imported-from', 'Imported from can only be set by the creation, and never changes');
  }
  return importedFrom === undefined ? {} : { importedFrom };
};

/**
 * Builds the configuration of a new workspace: the defaults, then the request.
 * @param plainDefaults the default of each setting that no rule reads.
 * @throws DomainError `invalid-attribute`, pointing at the attribute.
 */
export const configureNew = (
  plainDefaults: PlainSettings,
  request: ConfigurationRequest,
  configurationContext: ConfigurationContext,
): Configuration => {
  if (!request.name) throw invalid('name', "Name can't be blank");
  if (request.vcsRepo?.appInstallationId) {
    throw invalid('vcs-repo.app-installation-id', 'App installation id can only be set by an update');
  }
  const base = unconfigured(plainDefaults, configurationContext);
  return configure(
    {
      ...base,
      settings: {
        ...base.settings,
        // The default of the deployment does not stand against an explicit choice.
        globalRemoteState: base.settings.globalRemoteState && !request.projectRemoteState,
        sourceName: given(request.sourceName, null),
        sourceUrl: given(request.sourceUrl, null),
        ...(request.importedFrom && { importedFrom: request.importedFrom }),
      },
    },
    request,
    configurationContext,
  );
};

/**
 * Builds the configuration after an update. `source-name` and `source-url` can only be set at creation.
 * @throws DomainError `invalid-attribute`, pointing at the attribute.
 */
export const configure = (
  previous: Configuration,
  request: ConfigurationRequest,
  configurationContext: ConfigurationContext,
): Configuration => {
  const text: LongText = {
    description: given(request.description, previous.text.description),
    ...configureTriggers(previous.text, request),
  };
  const vcsRepo = configureRepository(previous.vcsRepo, request.vcsRepo, configurationContext);
  checkTriggers(text, vcsRepo, request, configurationContext.patterns);

  const execution = configureExecution(previous, request, configurationContext);
  checkPoolScope(execution, configurationContext);
  const { settings } = previous;
  const infraVersion = given(request.infraVersion, settings.infraVersion);
  const resolved = resolveVersion(infraVersion, configurationContext.releases);
  if (request.infraVersion !== undefined && resolved === undefined) {
    throw invalid('infra-version', `Infra version "${infraVersion}" is not a valid version, or no release meets it`);
  }
  if (request.assessmentsEnabled) checkAssessments(configurationContext, resolved, execution);
  // Every setting with rules is named: a forgotten one is a type error.
  const ruled: RuledSettings = {
    ...execution.own,
    ...configureAutoDestroy(settings, request, configurationContext.now),
    infraVersion,
    // Without the feature, `false` changes nothing, because some clients always send it.
    assessmentsEnabled: configurationContext.features.healthAssessments
      ? given(request.assessmentsEnabled, settings.assessmentsEnabled)
      : settings.assessmentsEnabled,
    fileTriggersEnabled: given(request.fileTriggersEnabled, settings.fileTriggersEnabled),
    ...configureStateSharing(settings, request),
    ...configureProtection(settings, request),
    sourceName: settings.sourceName,
    sourceUrl: settings.sourceUrl,
    ...keptOrigin(settings, request),
  };
  return {
    name: given(request.name, previous.name),
    text,
    vcsRepo,
    overwrites: execution.overwrites,
    settings: { ...settings, ...request.settings, ...ruled },
  };
};
