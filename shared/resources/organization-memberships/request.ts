import Type from 'typebox';
import { identifiers } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const membership = Type.Object({
  data: Type.Object({
    type: Type.Optional(oneOf(['organization-memberships'])),
    attributes: Type.Optional(requestAttributes(attributes)),
    relationships: Type.Optional(Type.Object({ teams: Type.Optional(Type.Object({ data: identifiers(['teams']) })) })),
  }),
});

export const membershipBodies = { membership };
