import type { ExecutionMode, Project } from '../../shared/domain/directory.ts';
import { invalid } from '../../shared/domain/errors.ts';
import { checkCount, distinctBindings, replaceBindings, type Tags } from '../../shared/domain/tags.ts';
import { noPool, poolMissing } from '../../shared/store/administration.ts';
import { check, type Guarded } from '../../shared/store/administration-items.ts';
import { keys } from '../../shared/store/keys.ts';
import type { Operations } from './handler.ts';
import { invalidParameter } from './parameters.ts';
import type { Services } from './services.ts';
import { showProject } from './show.ts';

interface Defaults {
  readonly defaultExecutionMode?: ExecutionMode | '' | null;
  readonly defaultAgentPool?: string | null;
}

/** `env=prod,owner=ada`: the bindings in place of those before; nothing clears them. */
const bindingsOf = (text: string | null, before: Tags, at: number): Tags => {
  const given = (text ?? '').split(',').filter((word) => word.trim() !== '');
  const bindings = given.map((word) => {
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(word.trim()) ?? [];
    if (value === '') throw invalidParameter('tagBindings', `${word.trim()} is not of the form key=value`);
    return { key, value };
  });
  const after = replaceBindings(
    before,
    distinctBindings(bindings, () => '/tagBindings'),
    at,
  );
  checkCount('project', after);
  return after;
};

export const projects = ({
  administration,
  removal,
  clock,
}: Services): Pick<Operations, 'createProject' | 'updateProject' | 'deleteProject'> => {
  const { records } = administration;

  /** What a project's workspaces inherit after a command, and that the pool is there. */
  const defaultsOf = async (
    organizationName: string,
    given: Defaults,
    before: Pick<Project, 'defaultExecutionMode' | 'defaultAgentPool'>,
  ): Promise<{
    readonly mode: ExecutionMode | null;
    readonly pool: string | null;
    readonly others: readonly Guarded[];
  }> => {
    const organization = await administration.getOrganization(organizationName);
    const mode =
      given.defaultExecutionMode === undefined ? before.defaultExecutionMode : given.defaultExecutionMode || null;
    const asked = given.defaultAgentPool || null;
    const found = asked === null ? undefined : await records.find('agentPool', organizationName, asked);
    if (asked !== null && found === undefined) throw noPool();
    // A pool goes with its mode, and leaves with it.
    const kept = mode === 'agent' ? before.defaultAgentPool : null;
    const pool = given.defaultAgentPool === undefined ? kept : (found?.id ?? null);
    if (pool !== null && mode !== 'agent') {
      throw invalid('default-agent-pool-id', "Agent pool must not be specified unless using 'agent' execution mode");
    }
    if (mode === 'agent' && pool === null && organization.defaultAgentPool === null) throw poolMissing();
    const others = found ? [{ write: check(keys.record('agentPool', found.id)), refusal: noPool }] : [];
    return { mode, pool, others };
  };

  return {
    createProject: async ({ organization, name, description, tagBindings = null, ...given }) => {
      const inherited = { defaultExecutionMode: null, defaultAgentPool: null };
      const { mode, pool, others } = await defaultsOf(organization, given, inherited);
      const { record, created } = await records.create(
        'project',
        {
          organization,
          name,
          description: description || null,
          defaultExecutionMode: mode,
          defaultAgentPool: pool,
          access: {},
          bindings: bindingsOf(tagBindings, [], clock()),
        },
        () => ({ others }),
      );
      return { project: showProject(record), created };
    },

    updateProject: async ({ organization, name, newName, description, tagBindings, ...given }) => {
      const project = await records.update('project', organization, name, async (before) => {
        const changesDefaults = Object.keys(given).length > 0;
        const defaults = changesDefaults ? await defaultsOf(organization, given, before) : undefined;
        return {
          ...(newName !== undefined && { newName }),
          change: {
            set: {
              ...(description !== undefined && { description: description || null }),
              ...(tagBindings !== undefined && { tags: bindingsOf(tagBindings, before.bindings, clock()) }),
              ...(defaults && { defaults: { mode: defaults.mode, pool: defaults.pool } }),
            },
          },
          beside: defaults?.others ?? [],
        };
      });
      return { project: showProject(project) };
    },

    deleteProject: async ({ organization, name }) => {
      await removal.removeRecord('project', organization, name);
      return { deleted: name };
    },
  };
};
