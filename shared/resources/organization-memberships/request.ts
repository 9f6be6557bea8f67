import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { identifiers } from '../../schemas/request-schema.ts';
import { exampleId, oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const membership = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['organization-memberships'])),
      attributes: Type.Optional(requestAttributes(attributes)),
      relationships: Type.Optional(
        Type.Object({ teams: Type.Optional(Type.Object({ data: identifiers(['teams']) })) }),
      ),
    }),
  },
  {
    examples: [
      {
        data: {
          type: 'organization-memberships',
          attributes: { email: 'grace@example.com' },
          relationships: { teams: { data: [{ type: 'teams', id: exampleId(prefixes.team) }] } },
        },
      },
    ],
  },
);

export const membershipBodies = { membership };
