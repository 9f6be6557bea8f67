import Type from 'typebox';
import { nullableId } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const account = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['users'])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
    }),
  },
  { examples: [{ data: { type: 'users', attributes: { username: 'grace', email: 'grace@example.com' } } }] },
);

export const userBodies = { account };
