import { projectPermissionNames } from '../../access/project-policy.ts';
import { executionModes } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { count, flag, id, nullable, object, oneOf, optional, path, text, time } from '../../schemas/schema.ts';

export const project = resource('Project', {
  type: 'projects',
  description: 'What workspaces are grouped in, and inherit from.',
  id: id(prefixes.project),
  attributes: {
    name: text(),
    description: nullable(text()),
    'created-at': time(),
    'default-execution-mode': oneOf(executionModes, "The mode in force, its own or the organization's."),
    'auto-destroy-activity-duration': nullable(
      text('After so long without activity a destroy run is asked for in workspaces that inherit it.', {
        examples: ['14d'],
      }),
    ),
    'is-unified': flag(),
    'team-count': count('Teams that were given access to it.'),
    'workspace-count': optional(count('Workspaces in it; not told where it is included with something else.')),
    permissions: object(Object.fromEntries(projectPermissionNames.map((name) => [name, flag()])), {
      description: 'What the caller may do with it.',
    }),
    'setting-overwrites': object(
      { 'default-execution-mode': flag(), 'default-agent-pool': flag() },
      { description: 'True: its own; false: inherited.' },
    ),
  },
  relationships: {
    organization: toOne('organizations'),
    'default-agent-pool': toOneLinked('agent-pools'),
    'tag-bindings': linkOnly,
    'effective-tag-bindings': linkOnly,
  },
  links: { self: path(`${BASE_PATH}/projects/prj-CvpbqPPtsWSnyrTk`) },
});
