import Type from 'typebox';
import { resourceDocument } from '../../schemas/request-schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const reservedTagKey = resourceDocument(
  'reserved-tag-keys',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
  },
  { attributes: { key: 'environment', 'disable-overrides': true } },
);

export const reservedTagKeyBodies = { reservedTagKey };
