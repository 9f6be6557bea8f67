import { count, flag, nullable, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of a session (SESSION-10). */
export const attributes = {
  provider: {
    response: text('Name of the identity provider; `link` for a sign-in by link.', { examples: ['keycloak'] }),
  },
  'started-at': { response: time() },
  'used-at': { response: time('Time of the last renewal.') },
  'expires-at': { response: time('Time at which it ends, however often it is renewed.') },
  'idle-minutes': { response: count('Minutes without a renewal after which it ends.') },
  'user-agent': {
    response: nullable(text('First 256 characters of the `User-Agent` of the browser at the sign-in.')),
  },
  current: { response: flag('Whether the token of the request belongs to it.') },
} as const satisfies AttributeTable;
