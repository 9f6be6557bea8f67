import { invalid } from '../../errors.ts';
import { type Execution, effectiveExecution, type Overwrites, type Settings } from '../workspace-record.ts';
import { type Configuration, type ConfigurationContext, type ConfigurationRequest, given } from './configuration.ts';

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
export const configureExecution = (
  { settings, overwrites: before }: Configuration,
  request: ConfigurationRequest,
  configurationContext: ConfigurationContext,
): OwnExecution => {
  const { operations, agentPool, overwrites: asked } = request;
  if (operations !== undefined && request.executionMode !== undefined) {
    throw invalid('operations', 'Operations is deprecated and cannot be specified when execution mode is used');
  }
  const isSentBack = asked?.executionMode === before.executionMode && asked.agentPool === before.agentPool;
  const areBothRequested = asked?.executionMode !== undefined && asked.agentPool !== undefined;
  if (areBothRequested && asked.executionMode !== asked.agentPool && !isSentBack) {
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
