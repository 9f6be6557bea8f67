import Type from 'typebox';
import { nullableId } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const reservedTagKey = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['reserved-tag-keys'])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
    }),
  },
  {
    examples: [{ data: { type: 'reserved-tag-keys', attributes: { key: 'environment', 'disable-overrides': true } } }],
  },
);

export const reservedTagKeyBodies = { reservedTagKey };
