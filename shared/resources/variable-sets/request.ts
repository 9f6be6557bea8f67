import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { identifiers, resourceDocument, toMany } from '../../schemas/request-schema.ts';
import { nullableObject, oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const assigned = (type: string) => identifiers([type], limits.variableSetAssignments);

const parent = Type.Optional(
  nullableObject({
    data: Type.Optional(
      nullableObject({
        type: oneOf(['organizations', 'projects'], 'The organization in the path, or one of its projects.'),
        id: Type.String({ minLength: 1, maxLength: limits.id }),
      }),
    ),
  }),
);

const vars = Type.Optional(nullableObject({ data: Type.Optional(Type.Unknown()) }));

const variableSet = resourceDocument(
  'varsets',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
    relationships: Type.Optional(
      nullableObject({
        parent,
        workspaces: toMany(assigned('workspaces')),
        projects: toMany(assigned('projects')),
        vars,
      }),
    ),
  },
  { attributes: { name: 'AWS credentials', description: 'Of the production account' } },
);

const assignments = (type: string, id: string) =>
  Type.Object({ data: assigned(type) }, { examples: [{ data: [{ type, id }] }] });

export const variableSetBodies = {
  variableSet,
  assignedWorkspaces: assignments('workspaces', 'ws-CvpbqPPtsWSnyrTk'),
  assignedProjects: assignments('projects', 'prj-CvpbqPPtsWSnyrTk'),
};
