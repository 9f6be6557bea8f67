import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { nullableId, resourceIdentifier } from '../../schemas/request-schema.ts';
import { nullableObject, oneOf, text } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const created = requestAttributes(attributes, ['key', 'category']);

const named = Type.Optional(nullableObject({ name: Type.Optional(nullableId) }));
const example = { key: 'region', value: 'eu-central-1', category: 'infra' };

const newVariable = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['vars']),
      attributes: created,
      relationships: Type.Optional(
        nullableObject({ workspace: Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) })) }),
      ),
    }),
    filter: Type.Optional(
      nullableObject(
        { workspace: named, organization: named },
        { description: 'Names the workspace instead of the relationship.', deprecated: true },
      ),
    ),
  },
  {
    examples: [
      {
        data: {
          type: 'vars',
          attributes: example,
          relationships: { workspace: { data: { type: 'workspaces', id: 'ws-CvpbqPPtsWSnyrTk' } } },
        },
      },
    ],
  },
);

const newWorkspaceVariable = Type.Object(
  { data: Type.Object({ type: oneOf(['vars']), attributes: created }) },
  { examples: [{ data: { type: 'vars', attributes: example } }] },
);

const variable = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['vars']),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
    }),
  },
  { examples: [{ data: { type: 'vars', attributes: { value: 'eu-west-1' } } }] },
);

const variableVerification = Type.Object(
  { value: text('The value to compare with that of the variable.', { maxLength: limits.variableValue }) },
  { examples: [{ value: 'eu-west-1' }] },
);

export const variableBodies = { newVariable, newWorkspaceVariable, variable, variableVerification };
