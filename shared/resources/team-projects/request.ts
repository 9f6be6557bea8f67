import Type from 'typebox';
import { nullableId, related } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const teamProject = Type.Object({
  data: Type.Object({
    type: Type.Optional(oneOf(['team-projects'])),
    attributes: requestAttributes(attributes, ['access']),
    relationships: Type.Object({ team: related, project: related }),
  }),
});

const teamProjectUpdate = Type.Object({
  data: Type.Object({
    type: Type.Optional(oneOf(['team-projects'])),
    id: Type.Optional(nullableId),
    attributes: Type.Optional(requestAttributes(attributes)),
  }),
});

export const teamProjectBodies = { teamProject, teamProjectUpdate };
