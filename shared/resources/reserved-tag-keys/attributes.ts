import { limits } from '../../domain/limits.ts';
import { flag, text, time } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

/** The attributes of a reserved tag key (TAG-20). Clients read the times by names with an underscore. */
export const attributes = {
  key: {
    request: text(undefined, { maxLength: limits.bindingKey, examples: ['environment'] }),
    response: text(undefined, { examples: ['environment'] }),
  },
  'disable-overrides': {
    request: flag(),
    response: flag('Whether workspaces must not override the binding of their project with this key.'),
  },
  created_at: { response: time() },
  updated_at: { response: time() },
} as const satisfies AttributeTable;

/** Maps the attributes of a reserved tag key in a request to the domain. An omitted attribute is absent from the result. */
export const reservedTagKeyRequest = (given: RequestAttributes<typeof attributes>) => mapRequest(attributes, given, {});
