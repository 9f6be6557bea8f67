import { type ReservedTagKey, reservedTagKeyAsRevised } from '../../domain/tags/reserved-tag-keys.ts';
import { REVISED, type Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of a reserved tag key. */
export const reservedTagKeyResource = (reserved: ReservedTagKey): Resource => {
  const { id, key, disableOverrides, createdAt, updatedAt } = reserved;
  const values: ComputedValues<typeof attributes> = {
    key,
    'disable-overrides': disableOverrides,
    created_at: timestamp(createdAt),
    updated_at: timestamp(updatedAt),
  };
  return { id, [REVISED]: reservedTagKeyAsRevised(reserved), type: 'reserved-tag-keys', attributes: values };
};
