import Type, { type Static } from 'typebox';
import { parts, projectLevels, projectParts } from '../../domain/directory/grants.ts';
import { boolean, id, oneOf, related } from '../../schemas/parts.ts';

/** The parts of custom access to a project; that they are custom is the domain's business (PERM-9, TEAM-9). */
const attributes = {
  access: oneOf([...projectLevels, 'custom'] as const),
  'project-access': Type.Optional(
    Type.Object({
      settings: Type.Optional(oneOf(projectParts.projectSettings)),
      teams: Type.Optional(oneOf(projectParts.projectTeams)),
      'variable-sets': Type.Optional(oneOf(projectParts.variableSets)),
    }),
  ),
  'workspace-access': Type.Optional(
    Type.Object({
      create: boolean,
      delete: boolean,
      move: boolean,
      locking: boolean,
      runs: Type.Optional(oneOf(parts.runs)),
      variables: Type.Optional(oneOf(parts.variables)),
      'state-versions': Type.Optional(oneOf(parts.stateVersions)),
      'sentinel-mocks': Type.Optional(oneOf(parts.sentinelMocks)),
      'run-tasks': boolean,
      'policy-overrides': boolean,
    }),
  ),
};
const changes = Type.Object({ ...attributes, access: Type.Optional(attributes.access) });

const teamProject = Type.Object({
  data: Type.Object({
    type: oneOf(['team-projects']),
    attributes: Type.Object(attributes),
    relationships: Type.Object({ team: related, project: related }),
  }),
});

const teamProjectUpdate = Type.Object({
  data: Type.Object({
    type: Type.Optional(oneOf(['team-projects'])),
    id: Type.Optional(id),
    attributes: Type.Optional(changes),
  }),
});

export const teamProjectBodies = { teamProject, teamProjectUpdate };

export type TeamProjectAttributes = Static<typeof changes>;
