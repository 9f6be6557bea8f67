import Type from 'typebox';
import { nullableId, toOne } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const organization = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['organizations'])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
      relationships: Type.Optional(Type.Object({ 'default-agent-pool': toOne })),
    }),
  },
  { examples: [{ data: { type: 'organizations', attributes: { name: 'acme', email: 'ada@example.com' } } }] },
);

export const organizationBodies = { organization };
