import Type from 'typebox';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { nullableObject, oneOf } from '../../schemas/schema.ts';
import { requestProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const retentionPolicy = Type.Object(
  {
    data: Type.Object({
      type: oneOf(retentionPolicyTypes),
      attributes: Type.Optional(nullableObject(requestProperties(attributes))),
    }),
  },
  {
    examples: [
      { data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 30 } } },
    ],
  },
);

export const retentionBodies = { retentionPolicy };
