import Type from 'typebox';
import { nullableObject } from '../../schemas/schema.ts';
import { requestProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

/** Clients send no type, or any type. Every member may be missing (AUTH-8). */
const token = Type.Object(
  {
    data: Type.Optional(nullableObject({ attributes: Type.Optional(nullableObject(requestProperties(attributes))) })),
  },
  { examples: [{ data: { type: 'authentication-tokens', attributes: { description: 'build pipeline' } } }] },
);

export const tokenBodies = { token };
