import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { text } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

/** The attributes of an SSH key (SSH-3). */
export const attributes = {
  name: {
    offer: { required: true },
    request: text(undefined, {
      maxLength: limits.recordName,
      minLength: 1,
      pattern: patterns.shownName,
      examples: ['deploy'],
    }),
    response: text(),
  },
  value: {
    offer: { required: true },
    request: text('The private key. It is stored encrypted, and no response contains it.', {
      maxLength: limits.secret,
      minLength: 1,
    }),
  },
} as const satisfies AttributeTable;

/** Maps the attributes of an SSH key in a request to the domain. An omitted attribute is absent from the result. */
export const sshKeyRequest = (given: RequestAttributes<typeof attributes>) => mapRequest(attributes, given, {});
