import type { ReservedTagKey } from '../../domain/tags/reserved-tag-keys.ts';
import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { ReservedTagKeyAttributes, attributes as table } from './attributes.ts';

type ReservedTagKeyRequest = Partial<Pick<ReservedTagKey, 'key' | 'disableOverrides'>>;

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, ReservedTagKeyRequest> = {
  key: (key) => ({ key }),
  'disable-overrides': (disableOverrides) => ({ disableOverrides }),
};

/** Maps the attributes of a request to the attributes of a reserved tag key. An omitted attribute is absent from the result. */
export const reservedTagKeyRequest = (attributes: ReservedTagKeyAttributes): ReservedTagKeyRequest =>
  mapRequest(mappings, attributes);
