import { BASE58_CLASS } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { nullable, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of a token (AUTH-8). */
export const attributes = {
  description: {
    request: nullable(text(undefined, { maxLength: limits.recordDescription })),
    response: nullable(text('The purpose of the token.')),
  },
  'created-at': { response: time() },
  'last-used-at': {
    response: nullable(
      time(
        'Time of the first request of the last day, in UTC, on which the token was used; null before its first use.',
      ),
    ),
  },
  'expired-at': {
    request: nullable(text(undefined, { maxLength: limits.expiry, examples: ['2027-01-31T08:00:00Z'] })),
    response: nullable(time('When the token expires; null if it never expires.')),
  },
} as const satisfies AttributeTable;

/** The attributes of a token in the response that creates it. */
export const newTokenAttributes = {
  ...attributes,
  token: {
    response: text('The token. No other response contains it.', {
      pattern: `^hf[a-z]_${BASE58_CLASS}{36}[0-9a-f]{8}$`,
      examples: ['hfu_CvpbqPPtsWSnyrTkCvpbqPPtsWSnyrTkCvpb0a1b2c3d'],
    }),
  },
} as const satisfies AttributeTable;
