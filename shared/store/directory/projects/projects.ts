import { mayDefaultTo } from '../../../domain/directory/agent-pools.ts';
import type { AgentPool, ExecutionMode, Project, ProjectSettings } from '../../../domain/directory/records.ts';
import { checkCount, type Tags } from '../../../domain/tags/tag.ts';
import type { Item } from '../../dynamodb/item.ts';
import { cleanupPartition, keys, sortableTime } from '../../dynamodb/keys.ts';
import { projectDefaults } from '../../items/directory-items.ts';
import { check, type Guarded } from '../../items/record-items.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { noPool, poolMissing, poolNotAllowed, poolOutOfScope } from '../organizations/organizations.ts';
import type { CreateResult } from '../records/record-store.ts';
import { SETTLING } from '../records/settling.ts';

/** A change of a project. An omitted property keeps its value; in a new project it is empty. */
export interface ProjectChange extends Partial<ProjectSettings> {
  /** Default execution mode; null inherits mode and pool from the organization. */
  readonly defaultExecutionMode?: ExecutionMode | null;
  /** By name or id, in agent mode only. Null: that of the organization is copied. */
  readonly defaultAgentPool?: string | null;
  /** Default deletion protection; null inherits it from the organization. */
  readonly defaultDeletionProtection?: boolean | null;
  readonly autoDestroyActivityDuration?: string | null;
  /** Its bindings afterwards; each has a value. */
  readonly bindings?: (before: Tags, at: number) => Tags;
}

interface Defaults {
  readonly mode: ExecutionMode | null;
  /** Set in agent mode only. */
  readonly pool: string | null;
  /** Checks that the referenced records still exist. */
  readonly additionalWrites: readonly Guarded[];
}

/**
 * Opens the changes of projects and of the settings that their workspaces inherit. All reads are strongly consistent.
 */
export const openProjects = ({ table, records, getOrganization }: DirectoryWriter) => {
  const { clock } = table;

  /** @throws DomainError 422 for agent mode without a pool, a pool without agent mode, out of scope or unknown. */
  const defaultsOf = async (
    organizationName: string,
    given: {
      readonly defaultExecutionMode?: ExecutionMode | null | undefined;
      readonly defaultAgentPool?: string | null | undefined;
    },
    before: Pick<Project, 'defaultExecutionMode' | 'defaultAgentPool'> & { readonly id?: string },
  ): Promise<Defaults | undefined> => {
    if (given.defaultExecutionMode === undefined && given.defaultAgentPool === undefined) return undefined;
    const organization = await getOrganization(organizationName);
    const mode = given.defaultExecutionMode === undefined ? before.defaultExecutionMode : given.defaultExecutionMode;
    const isAgent = mode === 'agent';
    const find = async (nameOrId: string | null | undefined): Promise<AgentPool | undefined> => {
      const found = nameOrId ? await records.find('agentPool', organizationName, nameOrId) : undefined;
      if (nameOrId && found === undefined) throw noPool();
      return found;
    };
    const requested = await find(given.defaultAgentPool);
    if (requested !== undefined && !isAgent) throw poolNotAllowed();
    const kept = given.defaultAgentPool === undefined ? before.defaultAgentPool : null;
    // The organization's default is copied, so that a later change of it cannot leave agent mode without a pool.
    const found = isAgent ? (requested ?? (await find(kept ?? organization.defaultAgentPool))) : undefined;
    if (isAgent && found === undefined) throw poolMissing();
    const isAssigned = found !== undefined && found.id !== before.defaultAgentPool;
    if (isAssigned && !mayDefaultTo(found, before.id)) {
      throw poolOutOfScope('Agent pool must be available to the whole organization or to the project');
    }
    const pool = found?.id ?? null;
    const additionalWrites = found ? [{ write: check(keys.record('agentPool', found.id)), refusal: noPool }] : [];
    return { mode, pool, additionalWrites };
  };

  const bindingsOf = (change: (before: Tags, at: number) => Tags, before: Tags): Tags => {
    const after = change(before, clock());
    checkCount('project', after);
    return after;
  };

  /**
   * Builds the auto-destroy attributes of a project. Its workspaces have copies, which the cleanup updates once no
   * request that read the old values can still be running. The project is queued for that in the due index, like a
   * deletion.
   */
  const autoDestroyOf = (before: Project, duration: string | null | undefined): Item => {
    const isKnown = duration === null || before.autoDestroySince !== undefined;
    const isSame = duration === (before.autoDestroyActivityDuration ?? null);
    if (duration === undefined || (isSame && isKnown)) return {};
    const now = clock();
    return {
      autoDestroyActivityDuration: duration,
      autoDestroySince: now,
      untold: true,
      d: cleanupPartition(keys.project(before.id).pk),
      dk: sortableTime(now + SETTLING),
    };
  };

  return {
    /** Creates a project, or returns the one of that name. @throws DomainError 404, 422. */
    createProject: async (
      organization: string,
      name: string,
      change: ProjectChange,
    ): Promise<CreateResult<Project>> => {
      const none = { defaultExecutionMode: null, defaultAgentPool: null };
      const { autoDestroyActivityDuration, bindings } = change;
      const defaults = await defaultsOf(organization, change, none);
      return records.create(
        'project',
        {
          ...change,
          organization,
          name,
          defaultExecutionMode: defaults?.mode ?? null,
          defaultAgentPool: defaults?.pool ?? null,
          defaultDeletionProtection: change.defaultDeletionProtection ?? null,
          autoDestroyActivityDuration: autoDestroyActivityDuration ?? null,
          ...(autoDestroyActivityDuration && { autoDestroySince: clock() }),
          access: {},
          bindings: bindings ? bindingsOf(bindings, []) : [],
        },
        () => ({ others: defaults?.additionalWrites ?? [] }),
      );
    },

    /** @throws DomainError 404; 422, also when the new name is taken. */
    updateProject: (
      organization: string,
      nameOrId: string,
      { newName, ...change }: ProjectChange & { readonly newName?: string },
      checkChange?: (before: Project, change: ProjectChange) => void,
    ): Promise<Project> =>
      records.updateSettings('project', organization, nameOrId, async (before) => {
        checkChange?.(before, change);
        const {
          defaultExecutionMode,
          defaultAgentPool,
          defaultDeletionProtection,
          autoDestroyActivityDuration,
          bindings,
          ...fields
        } = change;
        const defaults = await defaultsOf(organization, { defaultExecutionMode, defaultAgentPool }, before);
        return {
          ...(newName !== undefined && { newName }),
          change: {
            set: {
              ...fields,
              ...autoDestroyOf(before, autoDestroyActivityDuration),
              ...(bindings !== undefined && { tags: bindingsOf(bindings, before.bindings) }),
              ...((defaults || defaultDeletionProtection !== undefined) && {
                defaults: projectDefaults({
                  defaultExecutionMode: defaults ? defaults.mode : before.defaultExecutionMode,
                  defaultAgentPool: defaults ? defaults.pool : before.defaultAgentPool,
                  defaultDeletionProtection:
                    defaultDeletionProtection === undefined
                      ? before.defaultDeletionProtection
                      : defaultDeletionProtection,
                }),
              }),
            },
          },
          additionalWrites: defaults?.additionalWrites ?? [],
        };
      }),
  };
};

export type Projects = ReturnType<typeof openProjects>;
