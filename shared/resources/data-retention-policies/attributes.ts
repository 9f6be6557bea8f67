import { limits } from '../../domain/limits.ts';
import { count } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

const range = { minimum: 1, maximum: limits.retentionDays };

/** The attributes of a data retention policy (RET-4). Requests use either spelling (RET-5); the OpenAPI document has one, because some generated clients have one name for both. */
export const attributes = {
  'delete-older-than-n-days': {
    request: count(undefined, range),
    response: count('State versions older than this are deleted, except the current one.', range),
  },
  deleteOlderThanNDays: { request: count(undefined, range), offer: { hidden: true } },
} as const satisfies AttributeTable;
