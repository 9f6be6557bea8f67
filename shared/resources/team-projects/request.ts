import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { related, resourceDocument } from '../../schemas/request-schema.ts';
import { exampleId, oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const relationships = {
  team: { data: { type: 'teams', id: exampleId(prefixes.team) } },
  project: { data: { type: 'projects', id: exampleId(prefixes.project) } },
};
/** A level, and custom access. */
const levels = [
  { access: 'write' },
  {
    access: 'custom',
    'project-access': { settings: 'read', teams: 'none' },
    'workspace-access': { runs: 'plan', variables: 'read', locking: true },
  },
];

const teamProject = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['team-projects'])),
      attributes: requestAttributes(attributes, ['access']),
      relationships: Type.Object({ team: related, project: related }),
    }),
  },
  { examples: levels.map((attributes) => ({ data: { type: 'team-projects', attributes, relationships } })) },
);

const teamProjectUpdate = resourceDocument(
  'team-projects',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
  },
  ...levels.map((attributes) => ({ attributes })),
);

export const teamProjectBodies = { teamProject, teamProjectUpdate };
