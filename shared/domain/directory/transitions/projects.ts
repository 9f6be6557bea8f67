import { type Change, merge } from '../../changes/conditions.ts';
import { type DomainError, invalid } from '../../errors.ts';
import { checkCount, type Tags } from '../../tags/tag.ts';
import { mayDefaultTo } from '../agent-pools.ts';
import type { AgentPool, ExecutionMode, Organization, Project, ProjectSettings } from '../records.ts';
import type { Effect } from './plan.ts';
import type { RecordUpdate } from './records.ts';

/** A change of a project. An omitted property keeps its value; in a new project it is empty. */
export interface ProjectChange extends Partial<ProjectSettings> {
  /** Default execution mode; null inherits mode and pool from the organization. */
  readonly defaultExecutionMode?: ExecutionMode | null;
  /** By name or id, in agent mode only. Null copies the pool of the organization. */
  readonly defaultAgentPool?: string | null;
  /** Default deletion protection; null inherits it from the organization. */
  readonly defaultDeletionProtection?: boolean | null;
  readonly autoDestroyActivityDuration?: string | null;
  /** Its bindings afterwards; each has a value. */
  readonly bindings?: (before: Tags, at: number) => Tags;
}

/** The members of a project that a change of its execution mode reads. */
type DefaultsBefore = Pick<Project, 'defaultExecutionMode' | 'defaultAgentPool'> & { readonly id?: string };

/** The execution mode and the agent pool that workspaces of a project inherit. */
export interface ProjectDefaults {
  readonly mode: ExecutionMode | null;
  /** Set in agent mode only. */
  readonly pool: string | null;
  /** Requires that the pool still exists. */
  readonly effects: readonly Effect[];
}

/** Creates the error for a default agent pool that does not exist in the organization. */
export const noPool = (): DomainError =>
  invalid('default-agent-pool-id', 'Agent pool does not exist in this organization');
/** Creates the error for the execution mode `agent` without a default agent pool. */
export const poolMissing = (): DomainError =>
  invalid('default-agent-pool-id', "Agent pool must be specified when using 'agent' execution mode");
/** Creates the error for a default agent pool with an execution mode other than `agent`. */
export const poolNotAllowed = (): DomainError =>
  invalid('default-agent-pool-id', "Agent pool must not be specified unless using 'agent' execution mode");
/** Creates the error for a default agent pool whose scope excludes the project or organization (POOL-5). */
export const poolOutOfScope = (detail: string): DomainError => invalid('default-agent-pool-id', detail);

/** Requires that an agent pool still exists. */
export const requirePool = (id: string): Effect => ({
  kind: 'require',
  of: { kind: 'agentPool', id },
  rejection: noPool,
});

/**
 * Returns the names or ids of the agent pools that a change of the defaults depends on: the requested pool, or else, in
 * agent mode, the pool of the project. The organization's default is copied, so that a later change of it cannot
 * leave agent mode without a pool.
 */
export const poolsOfDefaults = (
  { defaultExecutionMode, defaultAgentPool: requested }: ProjectChange,
  before: DefaultsBefore,
  organization: Pick<Organization, 'defaultAgentPool'>,
): { readonly mode: ExecutionMode | null; readonly requested?: string; readonly fallback?: string } => {
  const mode = defaultExecutionMode === undefined ? before.defaultExecutionMode : defaultExecutionMode;
  if (requested) return { mode, requested };
  const fallback = (requested === undefined ? before.defaultAgentPool : null) ?? organization.defaultAgentPool;
  return { mode, ...(mode === 'agent' && fallback !== null && { fallback }) };
};

/**
 * Plans the defaults of a project.
 * @param names from `poolsOfDefaults`.
 * @param pool the agent pool that the names lead to.
 * @throws DomainError 422 for agent mode without a pool, a pool without agent mode, out of scope or unknown.
 */
export const projectDefaults = (
  { mode, requested, fallback }: ReturnType<typeof poolsOfDefaults>,
  pool: AgentPool | undefined,
  before: DefaultsBefore,
): ProjectDefaults => {
  if ((requested ?? fallback) !== undefined && pool === undefined) throw noPool();
  if (requested !== undefined && mode !== 'agent') throw poolNotAllowed();
  if (mode === 'agent' && pool === undefined) throw poolMissing();
  if (pool === undefined) return { mode, pool: null, effects: [] };
  if (pool.id !== before.defaultAgentPool && !mayDefaultTo(pool, before.id)) {
    throw poolOutOfScope('Agent pool must be available to the whole organization or to the project');
  }
  return { mode, pool: pool.id, effects: [requirePool(pool.id)] };
};

const bindingsAfter = (change: NonNullable<ProjectChange['bindings']>, before: Tags, at: number): Tags => {
  const after = change(before, at);
  checkCount('project', after);
  return after;
};

/**
 * Builds the fields of a new project.
 * @param defaults undefined if the request mentions neither mode nor pool.
 * @throws DomainError 422 for too many bindings.
 */
export const newProject = (
  organization: string,
  name: string,
  change: ProjectChange,
  defaults: ProjectDefaults | undefined,
  at: number,
): Omit<Project, 'id' | 'createdAt'> => {
  const { autoDestroyActivityDuration, bindings } = change;
  return {
    ...change,
    organization,
    name,
    defaultExecutionMode: defaults?.mode ?? null,
    defaultAgentPool: defaults?.pool ?? null,
    defaultDeletionProtection: change.defaultDeletionProtection ?? null,
    autoDestroyActivityDuration: autoDestroyActivityDuration ?? null,
    ...(autoDestroyActivityDuration && { autoDestroySince: at }),
    access: {},
    bindings: bindings ? bindingsAfter(bindings, [], at) : [],
  };
};

/**
 * Plans the auto-destroy settings of a project. Its workspaces have copies, which the cleanup updates once no request that
 * read the old values can still be running.
 * @param settling milliseconds until then.
 */
const changeAutoDestroy = (
  before: Project,
  duration: string | null | undefined,
  at: number,
  settling: number,
): Pick<RecordUpdate, 'change' | 'bookkeeping'> => {
  const isKnown = duration === null || before.autoDestroySince !== undefined;
  const isSame = duration === (before.autoDestroyActivityDuration ?? null);
  if (duration === undefined || (isSame && isKnown)) return {};
  return {
    change: { set: { autoDestroyActivityDuration: duration, autoDestroySince: at } },
    bookkeeping: { set: { hasUncopiedSettings: true, cleanupAt: at + settling } },
  };
};

/** Builds the change of a project's own deletion protection; a project without it has no such member. */
const changeProtection = (protection: boolean | null | undefined): Change => {
  if (protection === undefined) return {};
  return protection === null
    ? { remove: ['defaultDeletionProtection'] }
    : { set: { defaultDeletionProtection: protection } };
};

/**
 * Plans a change of a project.
 * @param defaults undefined if the request mentions neither mode nor pool.
 * @param settling milliseconds after which no request that read the project before can still write.
 * @throws DomainError 422 for too many bindings.
 */
export const updateProject = (
  before: Project,
  change: ProjectChange & { readonly newName?: string },
  defaults: ProjectDefaults | undefined,
  at: number,
  settling: number,
): RecordUpdate => {
  const { newName, defaultExecutionMode: _, defaultAgentPool: __, ...others } = change;
  const { defaultDeletionProtection, autoDestroyActivityDuration, bindings, ...fields } = others;
  const autoDestroy = changeAutoDestroy(before, autoDestroyActivityDuration, at, settling);
  const set = {
    ...fields,
    ...(bindings !== undefined && { bindings: bindingsAfter(bindings, before.bindings, at) }),
    ...(defaults && { defaultExecutionMode: defaults.mode, defaultAgentPool: defaults.pool }),
  };
  return {
    newName,
    change: merge({ set }, autoDestroy.change ?? {}, changeProtection(defaultDeletionProtection)),
    bookkeeping: autoDestroy.bookkeeping ?? {},
    others: defaults?.effects ?? [],
  };
};
