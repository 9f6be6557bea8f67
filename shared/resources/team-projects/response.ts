import { levelOf, projectAccessAsRevised, type projectLevels, projectPartsOf } from '../../domain/directory/grants.ts';
import type { Project } from '../../domain/directory/records.ts';
import { computedId } from '../../domain/ids.ts';
import { REVISED, type Resource, toOneLinked } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of the access of a team to a project. It has every part at any level (TEAM-9). */
export const teamProjectResource = (project: Pick<Project, 'id' | 'access'>, team: string): Resource => {
  const id = computedId('projectAccess', project.id, team);
  const grant = project.access[team] ?? {};
  const parts = projectPartsOf(grant);
  return {
    id,
    [REVISED]: projectAccessAsRevised(project.id, team, grant),
    type: 'team-projects',
    attributes: {
      access: levelOf<(typeof projectLevels)[number]>(grant),
      'project-access': {
        settings: parts.projectSettings,
        teams: parts.projectTeams,
        'variable-sets': parts.variableSets,
      },
      'workspace-access': {
        create: parts.create,
        delete: parts.delete,
        move: parts.move,
        locking: parts.workspaceLocking,
        runs: parts.runs,
        variables: parts.variables,
        'state-versions': parts.stateVersions,
        'sentinel-mocks': parts.sentinelMocks,
        'run-tasks': parts.runTasks,
        'policy-overrides': parts.policyOverrides,
      },
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      team: toOneLinked('teams', team),
      project: toOneLinked('projects', project.id),
    },
    links: { self: `${BASE_PATH}/team-projects/${id}` },
  };
};
