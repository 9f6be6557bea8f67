import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { oneOf, text, time } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

/** Statuses of a membership (ORG-9). */
export const membershipStatuses = ['active', 'invited'] as const;

/** The attributes of a membership (ORG-9). A request names the user by e-mail address or by username. */
export const attributes = {
  status: { response: oneOf(membershipStatuses, 'A user is invited until an account exists for the e-mail address.') },
  username: {
    request: text(undefined, { maxLength: limits.username, minLength: 1, pattern: patterns.pathName }),
    response: text(undefined, { examples: ['grace'] }),
  },
  email: {
    request: text(undefined, { maxLength: limits.email, pattern: patterns.email, examples: ['grace@example.com'] }),
    response: text(undefined, { examples: ['grace@example.com'] }),
  },
  'created-at': { response: time() },
} as const satisfies AttributeTable;

/** Maps the attributes of a membership in a request to the domain. An omitted attribute is absent from the result. */
export const membershipRequest = (given: RequestAttributes<typeof attributes>) => mapRequest(attributes, given, {});
