import { nullable, oneOf, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of an agent, as clients know them. No agent connects to this service (POOL-8). */
export const attributes = {
  name: { response: nullable(text()) },
  status: { response: oneOf(['idle', 'busy', 'unknown', 'exited', 'errored']) },
  'ip-address': { response: nullable(text(undefined, { examples: ['192.0.2.1'] })) },
  'last-ping-at': { response: nullable(time()) },
} as const satisfies AttributeTable;
