import Type from 'typebox';
import { resourceDocument, toOne } from '../../schemas/request-schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const organization = resourceDocument(
  'organizations',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
    relationships: Type.Optional(Type.Object({ 'default-agent-pool': toOne })),
  },
  { attributes: { name: 'acme', email: 'ada@example.com' } },
);

export const organizationBodies = { organization };
