import Type from 'typebox';
import { resourceDocument } from '../../schemas/request-schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const account = resourceDocument(
  'users',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
  },
  { attributes: { username: 'grace', email: 'grace@example.com' } },
);

export const userBodies = { account };
