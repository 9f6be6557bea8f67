import { limits } from '../../domain/limits.ts';
import { flag, list, nullable, object, text } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

const check = object({
  subject: text('What is checked: `format`, `signature`, or a JSON pointer to a claim.', { examples: ['/sub'] }),
  met: flag('Whether the check succeeds.'),
  expected: text('What the token must have.'),
  actual: nullable(text('What the token has; null if it has nothing.')),
});

/** The attributes of a test of an identity token (WI-13). */
export const attributes = {
  'subject-token': {
    offer: { required: true },
    request: text('The identity token. It is not stored.', { maxLength: limits.identityToken, minLength: 1 }),
  },
  accepted: { response: flag('Whether an exchange of the token would succeed.') },
  message: { response: nullable(text('Why an exchange would be refused; null if it would succeed.')) },
  checks: {
    response: list(check, 'The checks of the token, in their order. Those after a malformed token are missing.'),
  },
} as const satisfies AttributeTable;
