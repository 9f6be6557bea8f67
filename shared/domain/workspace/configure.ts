import type {
  AgentPool,
  AppInstallation,
  ExecutionMode,
  Inactivity,
  Organization,
  VcsConnection,
} from '../directory/records.ts';
import type { Features } from '../editions.ts';
import { invalid } from '../errors.ts';
import { atLeast, newestStable, resolveVersion } from '../infra-versions/versions.ts';
import { parseDuration } from './auto-destroy.ts';
import { checkGlob, checkTagsRegex } from './patterns.ts';
import { providerFromConnection, providerFromInstallation, providerFromRepository } from './vcs.ts';
import type {
  Execution,
  LongText,
  Overwrites,
  PlainSettings,
  RuledSettings,
  Settings,
  VcsRepo,
  Workspace,
} from './workspace-record.ts';
import { effectiveExecution } from './workspace-record.ts';

/** The part of a workspace that requests configure (WS-22). */
export type Configuration = Pick<Workspace, 'name' | 'settings' | 'text' | 'overwrites' | 'vcsRepo'>;

/** Attributes of a workspace in a request. Absent ones keep their values. */
export interface ConfigurationRequest extends Partial<Omit<RuledSettings, 'executionMode'>>, Partial<LongText> {
  readonly name?: string;
  readonly executionMode?: ExecutionMode;
  /** Deprecated form of the execution mode: true is remote, false local. */
  readonly operations?: boolean;
  /** The settings without rules, stored as they are. */
  readonly settings?: Partial<PlainSettings>;
  readonly overwrites?: Partial<Overwrites>;
  readonly vcsRepo?: VcsRepoRequest | null;
}

/** Attributes of the repository in a request. Absent ones keep their values. */
export interface VcsRepoRequest {
  readonly branch?: string | null;
  readonly identifier?: string;
  readonly ingressSubmodules?: boolean;
  readonly oauthTokenId?: string;
  readonly appInstallationId?: string;
  readonly tagsRegex?: string | null;
}

/** Data that the rules need in addition to the request. */
export interface ConfigurationContext {
  readonly features: Pick<Features, 'healthAssessments'>;
  readonly organization: Pick<Organization, 'plan'>;
  /** Execution mode and agent pool that the workspace inherits from its project and organization. */
  readonly inherited: Execution;
  /** All released versions of the infrastructure tool. */
  readonly releases: readonly string[];
  /** Inactivity rule that the workspace inherits from its project. */
  readonly inactivity?: Inactivity | undefined;
  /** The default of `global-remote-state`. */
  readonly globalRemoteState: boolean;
  readonly now: number;
  /** The records of the same organization that the request refers to; absent ones are unknown. */
  readonly agentPool?: AgentPool | undefined;
  readonly vcsConnection?: VcsConnection | undefined;
  readonly appInstallation?: AppInstallation | undefined;
}

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
    sourceName: null,
    sourceUrl: null,
    infraVersion: newestStable(configurationContext.releases) ?? 'latest',
  },
  text: { description: null, triggerPatterns: [], triggerPrefixes: [] },
  overwrites: { executionMode: false, agentPool: false },
  vcsRepo: null,
});

/** Returns the requested value, else the previous one. */
const given = <T>(value: T | undefined, previous: T): T => (value === undefined ? previous : value);

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
  if (request.vcsRepo?.appInstallationId !== undefined) {
    throw invalid('vcs-repo.app-installation-id', 'App installation can only be set by an update');
  }
  const base = unconfigured(plainDefaults, configurationContext);
  return configure(
    {
      ...base,
      settings: {
        ...base.settings,
        sourceName: given(request.sourceName, null),
        sourceUrl: given(request.sourceUrl, null),
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
    triggerPatterns: given(request.triggerPatterns, previous.text.triggerPatterns),
    triggerPrefixes: given(request.triggerPrefixes, previous.text.triggerPrefixes),
  };
  const vcsRepo = connect(previous.vcsRepo, request.vcsRepo, configurationContext);
  checkTriggers(text, vcsRepo, request);

  const execution = execute(previous, request, configurationContext);
  const { settings } = previous;
  const infraVersion = given(request.infraVersion, settings.infraVersion);
  const resolved = resolveVersion(infraVersion, configurationContext.releases);
  if (request.infraVersion !== undefined && resolved === undefined) {
    throw invalid('infra-version', `Infra version "${infraVersion}" is not a valid version, or no release meets it`);
  }
  if (request.assessmentsEnabled !== undefined) {
    checkAssessments(request.assessmentsEnabled, configurationContext, resolved, execution);
  }
  // Every setting with rules is named: a forgotten one is a type error.
  const ruled: RuledSettings = {
    ...execution.own,
    ...destroy(settings, request, configurationContext.now),
    infraVersion,
    assessmentsEnabled: given(request.assessmentsEnabled, settings.assessmentsEnabled),
    fileTriggersEnabled: given(request.fileTriggersEnabled, settings.fileTriggersEnabled),
    globalRemoteState: given(request.globalRemoteState, settings.globalRemoteState),
    sourceName: settings.sourceName,
    sourceUrl: settings.sourceUrl,
  };
  return {
    name: given(request.name, previous.name),
    text,
    vcsRepo,
    overwrites: execution.overwrites,
    settings: { ...settings, ...request.settings, ...ruled },
  };
};

const executionModeMissing = () =>
  invalid(
    'execution-mode',
    "Execution mode must be given when 'setting-overwrites.execution-mode' is true and the workspace has none of its own",
  );

interface OwnExecution extends Execution {
  readonly overwrites: Overwrites;
  readonly own: Pick<Settings, 'executionMode' | 'agentPool'>;
}

/** Computes the execution mode, the agent pool, and which of them the workspace overwrites. */
const execute = (
  { settings, overwrites: before }: Configuration,
  request: ConfigurationRequest,
  configurationContext: ConfigurationContext,
): OwnExecution => {
  const { operations, agentPool, overwrites: asked } = request;
  if (operations !== undefined && request.executionMode !== undefined) {
    throw invalid('operations', 'Operations is deprecated and cannot be specified when execution mode is used');
  }
  const isSentBack = asked?.executionMode === before.executionMode && asked.agentPool === before.agentPool;
  const areBothAsked = asked?.executionMode !== undefined && asked.agentPool !== undefined;
  if (areBothAsked && asked.executionMode !== asked.agentPool && !isSentBack) {
    throw invalid(
      'setting-overwrites',
      'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
    );
  }
  const requested = request.executionMode ?? (operations === undefined ? undefined : operations ? 'remote' : 'local');

  // An explicit value takes precedence over `setting-overwrites` in the same request.
  const ownsMode = requested !== undefined || given(asked?.executionMode, before.executionMode);
  const ownMode = ownsMode ? (requested ?? settings.executionMode) : null;
  if (ownsMode && ownMode === null) throw executionModeMissing();
  const mode = ownMode ?? configurationContext.inherited.mode;

  if (agentPool && mode !== 'agent') {
    throw invalid('agent-pool-id', "Agent pool must not be specified unless using 'agent' execution mode");
  }
  if (agentPool && configurationContext.agentPool === undefined) {
    throw invalid('agent-pool-id', 'Agent pool does not exist in this organization');
  }
  const ownsPool = Boolean(agentPool) || given(asked?.agentPool, before.agentPool);
  // An explicit change to remote or local removes the pool; an inherited mode without a pool only hides it.
  const drops = !ownsPool || (requested !== undefined && requested !== 'agent');
  const ownPool = drops ? null : given(agentPool, settings.agentPool);
  const overwrites = { executionMode: ownsMode, agentPool: ownsPool };
  const own = { executionMode: ownMode, agentPool: ownPool };
  const effective = effectiveExecution(
    { settings: { ...settings, ...own }, overwrites },
    configurationContext.inherited,
  );

  const touched = requested !== undefined || agentPool !== undefined || asked !== undefined;
  if (touched && effective.mode === 'agent' && effective.agentPool === null) {
    throw invalid('agent-pool-id', "Agent pool must be specified when using 'agent' execution mode");
  }
  return { ...effective, overwrites, own };
};

/** First version of the infrastructure tool with health assessments (WS-48). */
const ASSESSMENTS_SINCE = '0.15.4';

/**
 * Tells whether assessments are available, whether or not they are enabled: they need the Plus tier, version 0.15.4 and
 * remote mode (WS-48).
 */
export const assessmentsAvailable = (
  plan: Organization['plan'],
  version: string | undefined,
  mode: ExecutionMode,
): boolean => plan === 'plus' && mode === 'remote' && version !== undefined && atLeast(version, ASSESSMENTS_SINCE);

const checkAssessments = (
  enabled: boolean,
  { features, organization }: ConfigurationContext,
  version: string | undefined,
  { mode }: Execution,
): void => {
  if (!features.healthAssessments) {
    throw invalid('assessments-enabled', 'Assessments enabled is not available on this edition');
  }
  if (enabled && !assessmentsAvailable(organization.plan, version, mode)) {
    throw invalid(
      'assessments-enabled',
      `Assessments enabled needs the Plus tier, infra version ${ASSESSMENTS_SINCE} or later, and remote execution mode`,
    );
  }
};

type AutoDestroy = Pick<Settings, 'autoDestroyAt' | 'autoDestroyActivityDuration' | 'inheritsProjectAutoDestroy'>;

/**
 * Computes the auto-destroy settings. An explicit time applies as it is. The duration starts now if the request sets it,
 * stops inheriting, or removes an explicit time. Own values end the inheritance; inheriting removes own values.
 */
const destroy = (previous: Settings, request: ConfigurationRequest, now: number): AutoDestroy => {
  const { autoDestroyAt: at, autoDestroyActivityDuration: duration } = request;
  if (at !== undefined && at !== null && at <= now) {
    throw invalid('auto-destroy-at', 'Auto destroy at must be in the future');
  }
  const isOwn = Boolean(at || duration);
  const inheritsProjectAutoDestroy =
    !isOwn && given(request.inheritsProjectAutoDestroy, previous.inheritsProjectAutoDestroy);
  if (inheritsProjectAutoDestroy && request.inheritsProjectAutoDestroy === true) {
    return { autoDestroyAt: null, autoDestroyActivityDuration: null, inheritsProjectAutoDestroy };
  }
  const autoDestroyActivityDuration = given(duration, previous.autoDestroyActivityDuration);
  const own = { autoDestroyActivityDuration, inheritsProjectAutoDestroy };
  if (at) return { autoDestroyAt: at, ...own };
  const begins = duration !== undefined || at === null || previous.inheritsProjectAutoDestroy;
  if (autoDestroyActivityDuration !== null && !inheritsProjectAutoDestroy && begins) {
    return { autoDestroyAt: now + parseDuration(autoDestroyActivityDuration), ...own };
  }
  // A time that was computed from a duration is removed with that duration.
  const wasCounted = duration === null && previous.autoDestroyActivityDuration !== null;
  return { autoDestroyAt: at === null || wasCounted ? null : previous.autoDestroyAt, ...own };
};

/** Computes the repository. In the request, absent keeps it, null removes it, and an object changes its members. */
const connect = (
  previous: VcsRepo | null,
  request: VcsRepoRequest | null | undefined,
  { vcsConnection, appInstallation }: ConfigurationContext,
): VcsRepo | null => {
  if (request === undefined) return previous;
  if (request === null) return null;
  if (request.oauthTokenId !== undefined && request.appInstallationId !== undefined) {
    throw invalid('vcs-repo.app-installation-id', 'App installation must not be given together with an OAuth token');
  }
  if (previous === null && (request.oauthTokenId === undefined || request.identifier === undefined)) {
    throw invalid('vcs-repo', 'Vcs repo needs at least both oauth-token-id and identifier');
  }
  if (request.oauthTokenId !== undefined && vcsConnection === undefined) {
    throw invalid('vcs-repo.oauth-token-id', 'OAuth token does not exist in this organization');
  }
  if (request.appInstallationId !== undefined && appInstallation === undefined) {
    throw invalid('vcs-repo.app-installation-id', 'App installation is not registered in this organization');
  }
  const provider = vcsConnection
    ? providerFromConnection(vcsConnection)
    : appInstallation
      ? providerFromInstallation(appInstallation)
      : previous && providerFromRepository(previous);
  if (provider === null) throw new TypeError('A repository without a provider');
  const tagsRegex = given(request.tagsRegex, previous?.tagsRegex ?? null) || null;
  if (request.tagsRegex && !checkTagsRegex(request.tagsRegex)) {
    throw invalid('vcs-repo.tags-regex', 'Tags regex is not a valid RE2 regular expression');
  }
  return {
    branch: given(request.branch, previous?.branch ?? '') ?? '',
    identifier: given(request.identifier, previous?.identifier ?? ''),
    ingressSubmodules: given(request.ingressSubmodules, previous?.ingressSubmodules ?? false),
    tagsRegex,
    ...provider,
  };
};

/** Checks that runs start either from changed files or from tags, and from either patterns or prefixes. */
const checkTriggers = (text: LongText, vcsRepo: VcsRepo | null, request: ConfigurationRequest): void => {
  const { triggerPatterns, triggerPrefixes } = text;
  if (triggerPatterns.length > 0 && triggerPrefixes.length > 0) {
    throw invalid('trigger-patterns', 'Trigger patterns and trigger prefixes cannot both be set');
  }
  for (const [index, pattern] of (request.triggerPatterns ?? []).entries()) {
    if (!checkGlob(pattern)) throw invalid(`trigger-patterns.${index}`, 'Trigger patterns must be valid glob patterns');
  }
  if (!vcsRepo?.tagsRegex) return;
  if (triggerPatterns.length > 0 || triggerPrefixes.length > 0) {
    throw invalid('vcs-repo.tags-regex', 'Tags regex cannot be set together with trigger patterns or trigger prefixes');
  }
  if (request.fileTriggersEnabled === true) {
    throw invalid('file-triggers-enabled', 'File triggers cannot be enabled together with a tags regex');
  }
};
