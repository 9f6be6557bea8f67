import type { ExecutionMode } from '../../shared/domain/directory/records.ts';
import { type Binding, distinctBindings, replaceBindings } from '../../shared/domain/tags/tag.ts';
import { openProjects, type ProjectChange } from '../../shared/store/directory/projects.ts';
import type { CommandHandlers } from './handler.ts';
import { invalidParameter } from './parameters.ts';
import type { AdminServices } from './services.ts';
import { showProject } from './show.ts';

/** `env=prod,owner=ada`: the bindings in place of those before; nothing clears them. */
const bindingsOf = (text: string | null): readonly Binding[] => {
  const given = (text ?? '').split(',').filter((word) => word.trim() !== '');
  const bindings = given.map((word) => {
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(word.trim()) ?? [];
    if (value === '') throw invalidParameter('tagBindings', `${word.trim()} is not of the form key=value`);
    return { key, value };
  });
  return distinctBindings(bindings, () => '/tagBindings');
};

const replacing =
  (given: readonly Binding[]): NonNullable<ProjectChange['bindings']> =>
  (before, at) =>
    replaceBindings(before, given, at);

interface Given {
  readonly description?: string | null;
  readonly defaultExecutionMode?: ExecutionMode | '' | null;
  readonly defaultAgentPool?: string | null;
  readonly tagBindings?: string | null;
}

/** On a command line, nothing is an empty text. */
const changeOf = ({ description, defaultExecutionMode: mode, defaultAgentPool: pool, tagBindings }: Given) =>
  ({
    ...(description !== undefined && { description: description || null }),
    ...(mode !== undefined && { defaultExecutionMode: mode || null }),
    ...(pool !== undefined && { defaultAgentPool: pool || null }),
    ...(tagBindings !== undefined && { bindings: replacing(bindingsOf(tagBindings)) }),
  }) satisfies ProjectChange;

export const projects = ({
  directory,
  removal,
}: AdminServices): Pick<CommandHandlers, 'createProject' | 'updateProject' | 'deleteProject'> => {
  const { createProject, updateProject } = openProjects(directory);
  return {
    createProject: async ({ organization, name, ...given }) => {
      const { record, created } = await createProject(organization, name, changeOf(given));
      return { project: showProject(record), created };
    },

    updateProject: async ({ organization, name, newName, ...given }) => {
      const change = { ...changeOf(given), ...(newName !== undefined && { newName }) };
      return { project: showProject(await updateProject(organization, name, change)) };
    },

    deleteProject: async ({ organization, name }) => {
      await removal.removeRecord('project', organization, name);
      return { deleted: name };
    },
  };
};
