import type { Project } from '../../shared/domain/directory/records.ts';
import type { ProjectChange } from '../../shared/domain/directory/transitions/projects.ts';
import { DomainError, invalid } from '../../shared/domain/errors.ts';
import type { Binding } from '../../shared/domain/tags/tag.ts';
import {
  defaultAgentPoolChange,
  type RequestedAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import type { ProjectRequest } from '../../shared/resources/projects/request-mapping.ts';
import { readBindings } from '../../shared/resources/tags/request-mapping.ts';

/**
 * Computes the project's own default deletion protection; undefined if the request does not mention it (PROJECT-11). An
 * overwrite of the request decides: false ignores a value in the same request.
 * @throws DomainError 422 for an overwrite without a value.
 */
const protectionChange = (
  {
    overwrites,
    defaultDeletionProtection: requested,
  }: Pick<ProjectRequest, 'overwrites' | 'defaultDeletionProtection'>,
  before: boolean | null | undefined,
): Pick<ProjectChange, 'defaultDeletionProtection'> => {
  const isOwn = overwrites?.['default-deletion-protection'];
  const own = isOwn === false ? null : requested;
  if (isOwn === true && (own === undefined ? (before ?? null) : own) === null) {
    throw invalid(
      'default-deletion-protection',
      'Default deletion protection must be specified for a project to have its own',
    );
  }
  return own === undefined ? {} : { defaultDeletionProtection: own };
};

/** Checks whether the project gets its own defaults: mode and pool are set together (PROJECT-4). */
const readsOwnDefaults = (overwrites: ProjectRequest['overwrites']): boolean | undefined => {
  const { 'default-execution-mode': mode, 'default-agent-pool': pool } = overwrites ?? {};
  if (mode !== undefined && pool !== undefined && mode !== pool) {
    throw invalid(
      'setting-overwrites',
      'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
    );
  }
  return mode ?? pool;
};

/**
 * Computes the change that a request makes to a project; an omitted attribute keeps its value. `setting-overwrites`
 * decides: with false the project inherits, and a mode or pool in the same request is ignored (PROJECT-4).
 * @param before the project; a new one inherits its execution mode.
 */
export const projectChangeOf = (
  {
    overwrites,
    defaultExecutionMode: mode,
    defaultDeletionProtection: protection,
    ...others
  }: Omit<ProjectRequest, 'name' | 'defaultAgentPool'>,
  pool: RequestedAgentPool,
  before: Pick<Project, 'defaultExecutionMode' | 'defaultDeletionProtection'> = { defaultExecutionMode: null },
): ProjectChange => {
  const own = readsOwnDefaults(overwrites);
  const change = {
    ...others,
    ...protectionChange(
      { ...(overwrites && { overwrites }), ...(protection !== undefined && { defaultDeletionProtection: protection }) },
      before.defaultDeletionProtection,
    ),
  };
  if (own === false) return { ...change, defaultExecutionMode: null };
  if (own === true && (mode === null || (mode ?? before.defaultExecutionMode) === null)) {
    throw invalid('default-execution-mode', 'Default execution mode must be specified for a project to have its own');
  }
  return { ...change, ...defaultAgentPoolChange(pool), ...(mode !== undefined && { defaultExecutionMode: mode }) };
};

/** JSON pointer of the tag bindings in the body that creates or updates a project. */
export const BINDINGS_POINTER = '/data/relationships/tag-bindings/data';

/**
 * Reads the tag bindings of a project.
 * @throws DomainError 422 for a tag without a value: only workspaces can have one (TAG-18).
 */
export const projectBindingsOf = (
  elements: Parameters<typeof readBindings>[0],
  pointer: string,
): readonly Binding[] => {
  const bindings = readBindings(elements, pointer);
  const flat = elements.findIndex(({ attributes }) => !attributes.value);
  if (flat < 0) return bindings;
  throw new DomainError('invalid-attribute', "Tag value can't be blank", {
    source: { pointer: `${pointer}/${flat}/attributes/value` },
  });
};
