import type { ProjectChange } from '../../../shared/domain/directory/transitions/projects.ts';
import { type Binding, distinctBindings, replaceBindings } from '../../../shared/domain/tags/tag.ts';
import { defaultSettings } from '../../../shared/resources/attribute-table.ts';
import { attributes } from '../../../shared/resources/projects/attributes.ts';
import type { Parameters } from '../../../shared/schemas/admin-commands.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';
import { showProject } from './show.ts';

/** Parses tag bindings in the form `env=prod,owner=ada`. Null or an empty text removes all bindings. */
const parseBindings = (text: string | null): readonly Binding[] => {
  const given = (text ?? '').split(',').filter((word) => word.trim() !== '');
  const bindings = given.map((word) => {
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(word.trim()) ?? [];
    if (value === '')
      throw invalidParameter(
        'tagBindings',
        `${word.trim()} is not of the form key=value; separate several tag bindings with commas`,
      );
    return { key, value };
  });
  return distinctBindings(bindings, () => '/tagBindings');
};

const replacing =
  (given: readonly Binding[]): NonNullable<ProjectChange['bindings']> =>
  (before, at) =>
    replaceBindings(before, given, at);

/** Converts parameters to a change. A command line cannot send null, so an empty text stands for it. */
const changeOf = ({
  description,
  defaultExecutionMode: mode,
  defaultAgentPool: pool,
  tagBindings,
}: Omit<Parameters<'createProject'>, 'organization' | 'name'>) =>
  ({
    ...(description !== undefined && { description: description || null }),
    ...(mode !== undefined && { defaultExecutionMode: mode || null }),
    ...(pool !== undefined && { defaultAgentPool: pool || null }),
    ...(tagBindings !== undefined && { bindings: replacing(parseBindings(tagBindings)) }),
  }) satisfies ProjectChange;

/** Creates the handlers of the commands for projects. */
export const projects = ({
  directory,
  removal,
}: AdminDependencies): Pick<CommandHandlers, 'createProject' | 'updateProject' | 'deleteProject'> => ({
  createProject: async ({ organization, name, ...given }) => {
    const { record, created } = await directory.projects.create(adminRequest(), organization, name, {
      ...defaultSettings(attributes),
      ...changeOf(given),
    });
    return { project: showProject(record), created };
  },

  updateProject: async ({ organization, name, newName, ...given }) => {
    const change = { ...changeOf(given), ...(newName !== undefined && { newName }) };
    return { project: showProject(await directory.projects.update(adminRequest(), organization, name, change)) };
  },

  deleteProject: async ({ organization, name }) => {
    await removal.removeRecord(adminRequest(), 'project', organization, name);
    return { deleted: name };
  },
});
