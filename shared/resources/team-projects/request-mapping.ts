import type { CustomProjectAccess } from '../../domain/directory/grants.ts';
import { mapRequest } from '../attribute-table.ts';
import { type TeamProjectAttributes, attributes as table } from './attributes.ts';

type Part = keyof CustomProjectAccess;
type Group = 'project-access' | 'workspace-access';

/** Access to a project in a request: the level, and parts of custom access. Absent parts keep their values. */
type TeamProjectRequest = CustomProjectAccess & Pick<TeamProjectAttributes, 'access'>;

/** The parts of access to a project by their wire names (PERM-9). A name of the table that is missing is a type error. */
const parts = {
  'project-access': { settings: 'projectSettings', teams: 'projectTeams', 'variable-sets': 'variableSets' },
  'workspace-access': {
    create: 'create',
    delete: 'delete',
    move: 'move',
    locking: 'workspaceLocking',
    runs: 'runs',
    variables: 'variables',
    'state-versions': 'stateVersions',
    'sentinel-mocks': 'sentinelMocks',
    'run-tasks': 'runTasks',
    'policy-overrides': 'policyOverrides',
  },
} as const satisfies { readonly [G in Group]: Readonly<Record<keyof NonNullable<TeamProjectAttributes[G]>, Part>> };

/** Wire names of the parts of access to a project, such as `workspace-access.runs`. */
export const projectAccessNames = Object.fromEntries(
  Object.entries(parts).flatMap(([group, names]) =>
    Object.entries<Part>(names).map(([name, part]) => [part, `${group}.${name}`]),
  ),
) as Readonly<Record<Part, string>>;

const partsIn = (group: Group, given: Readonly<Record<string, unknown>>): CustomProjectAccess =>
  Object.fromEntries(
    Object.entries<Part>(parts[group]).flatMap(([name, part]) =>
      given[name] === undefined ? [] : [[part, given[name]]],
    ),
  );

/** Maps the attributes of a request to access to a project. An omitted attribute is absent from the result. */
export const teamProjectRequest = (attributes: TeamProjectAttributes): TeamProjectRequest =>
  mapRequest<typeof table, TeamProjectRequest>(table, attributes, {
    'project-access': (given) => partsIn('project-access', given),
    'workspace-access': (given) => partsIn('workspace-access', given),
  });
