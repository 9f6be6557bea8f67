import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { count, flag, text, time } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

/** The attributes of an agent pool (POOL-1). */
export const attributes = {
  name: {
    offer: { required: true },
    request: text(undefined, {
      maxLength: limits.recordName,
      minLength: 1,
      pattern: patterns.shownName,
      examples: ['build'],
    }),
    response: text(),
  },
  'created-at': { response: time() },
  'agent-count': { response: count('Always 0: agents do not connect to this service.') },
  'organization-scoped': {
    request: flag('False: only the allowed workspaces and projects may use the pool; true if omitted.'),
    response: flag('True: every workspace of the organization may use the pool, except the excluded ones.'),
  },
} as const satisfies AttributeTable;

/** Maps the attributes of an agent pool in a request to the domain. An omitted attribute is absent from the result. */
export const agentPoolRequest = (given: RequestAttributes<typeof attributes>) => mapRequest(attributes, given, {});
