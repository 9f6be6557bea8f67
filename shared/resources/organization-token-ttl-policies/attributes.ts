import { limitedTokenTypes } from '../../domain/directory/token-ttl-policies.ts';
import { limits } from '../../domain/limits.ts';
import { count, oneOf, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** A shorter limit is a mistake, such as a number of seconds. */
const MIN_TOKEN_TTL = 60_000;

/** The attributes of a limit of the lifetime of tokens (AUTH-22). */
export const attributes = {
  'token-type': {
    request: oneOf(limitedTokenTypes),
    response: oneOf(limitedTokenTypes, 'The tokens that it limits.'),
  },
  'max-ttl-ms': {
    request: count(undefined, { minimum: MIN_TOKEN_TTL, maximum: limits.tokenTtl, examples: [2_592_000_000] }),
    response: count('The longest lifetime of a new token, in milliseconds.', { examples: [2_592_000_000] }),
  },
  'created-at': { response: time() },
  'updated-at': { response: time() },
} as const satisfies AttributeTable;
