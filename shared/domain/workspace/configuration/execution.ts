import { mayUsePool, POOL_OUT_OF_SCOPE } from '../../directory/agent-pools.ts';
import { invalid } from '../../errors.ts';
import { type Execution, effectiveExecution, type Overwrites, type Settings } from '../workspace-record.ts';
import type { Configuration, ConfigurationContext, ConfigurationRequest } from './configuration.ts';

const executionModeMissing = () =>
  invalid(
    'execution-mode',
    "Execution mode must be given when 'setting-overwrites.execution-mode' is true and the workspace has none of its own",
  );

interface OwnExecution extends Execution {
  readonly overwrites: Overwrites;
  readonly own: Pick<Settings, 'executionMode' | 'agentPool'>;
}

/**
 * Checks that the workspace is in the scope of the agent pool that a request makes it use (POOL-4). The pool is checked
 * only if the context has its record, which it has if the request can assign the pool.
 * @throws DomainError `invalid-attribute`.
 */
export const checkPoolScope = (
  { agentPool: used }: Execution,
  { agentPool, unnamedPools = [], identity }: Pick<ConfigurationContext, 'agentPool' | 'unnamedPools' | 'identity'>,
): void => {
  const pool = [agentPool, ...unnamedPools].find((known) => known?.id === used);
  if (pool !== undefined && !mayUsePool(pool, identity)) {
    throw invalid('agent-pool-id', POOL_OUT_OF_SCOPE);
  }
};

/** Checks that both overwrites of a request agree, unless the request sends back the stored ones (WS-32). */
const checkOverwrites = (requested: Partial<Overwrites>, before: Overwrites): void => {
  const { executionMode, agentPool } = requested;
  const isSentBack = executionMode === before.executionMode && agentPool === before.agentPool;
  if (executionMode !== undefined && agentPool !== undefined && executionMode !== agentPool && !isSentBack) {
    throw invalid(
      'setting-overwrites',
      'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
    );
  }
};

/** Returns the execution mode that a request gives by `execution-mode` or `operations` (WS-30). */
const readMode = ({ executionMode, operations }: ConfigurationRequest): ConfigurationRequest['executionMode'] => {
  if (operations === undefined) return executionMode;
  if (executionMode !== undefined) {
    throw invalid('operations', 'Operations is deprecated and cannot be specified when execution mode is used');
  }
  return operations ? 'remote' : 'local';
};

/** Computes the execution mode, the agent pool, and which of them the workspace overwrites (WS-30 to WS-37). */
export const configureExecution = (
  { settings, overwrites: before }: Configuration,
  request: ConfigurationRequest,
  { inherited, agentPool: found }: ConfigurationContext,
): OwnExecution => {
  const requested = request.overwrites ?? {};
  checkOverwrites(requested, before);
  const given = { mode: readMode(request), pool: request.agentPool };
  if ([given.mode, given.pool, requested.executionMode, requested.agentPool].every((value) => value === undefined)) {
    const own = { executionMode: settings.executionMode, agentPool: settings.agentPool };
    return { ...effectiveExecution({ settings, overwrites: before }, inherited), overwrites: before, own };
  }

  // An overwrite of the request decides: false ignores a value in the same request.
  const requestedMode = requested.executionMode === false ? undefined : given.mode;
  const ownsMode = requested.executionMode ?? (requestedMode !== undefined || before.executionMode);
  const ownMode = ownsMode ? (requestedMode ?? settings.executionMode) : null;
  if (ownsMode && ownMode === null) throw executionModeMissing();
  const isAgent = (ownMode ?? inherited.mode) === 'agent';

  const requestedPool = requested.agentPool === false ? undefined : given.pool;
  if (requestedPool && !isAgent) {
    throw invalid('agent-pool-id', "Agent pool must not be specified unless using 'agent' execution mode");
  }
  if (requestedPool && found === undefined) {
    throw invalid('agent-pool-id', 'Agent pool does not exist in this organization');
  }
  const inheritsAgain = requested.agentPool === false || (before.executionMode && !ownsMode);
  const keptPool = requestedPool === null || inheritsAgain ? null : settings.agentPool;
  const namedPool = isAgent ? (requestedPool ?? keptPool) : null;
  // A workspace with its own agent mode stores a pool, so a changed default cannot leave it without one.
  const copies = isAgent && namedPool === null && (ownsMode || requested.agentPool === true);
  const ownPool = copies ? inherited.agentPool : namedPool;
  const ownsPool =
    requested.agentPool ?? (copies || Boolean(requestedPool) || (namedPool !== null && before.agentPool));

  const overwrites = { executionMode: ownsMode, agentPool: ownsPool };
  const own = { executionMode: ownMode, agentPool: ownPool };
  const effective = effectiveExecution({ settings: { ...settings, ...own }, overwrites }, inherited);
  if (isAgent && effective.agentPool === null) {
    throw invalid('agent-pool-id', "Agent pool must be specified when using 'agent' execution mode");
  }
  return { ...effective, overwrites, own };
};
