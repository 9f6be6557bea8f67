import { prefixes } from '../../domain/ids.ts';
import { resource } from '../../schemas/resource-schema.ts';
import { id } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const reservedTagKey = resource('ReservedTagKey', {
  type: 'reserved-tag-keys',
  description: 'A tag key whose use the organization governs.',
  id: id(prefixes.reservedTagKey),
  attributes: responseProperties(attributes),
});
