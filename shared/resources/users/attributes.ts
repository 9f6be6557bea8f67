import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { flag, nullable, object, optional, text } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

/** The attributes of a user (AUTH-7). The optional ones are only in the account of the caller. */
export const attributes = {
  username: {
    request: text(undefined, { maxLength: limits.username, minLength: 1, pattern: patterns.pathName }),
    response: text(undefined, { examples: ['grace'] }),
  },
  'is-service-account': { response: flag('Whether the user is a program rather than a person.') },
  'avatar-url': { response: nullable(text()) },
  email: {
    request: text('The address applies when an administrator has confirmed it.', {
      maxLength: limits.email,
      pattern: patterns.email,
    }),
    response: optional(text(undefined, { examples: ['grace@example.com'] })),
  },
  'unconfirmed-email': {
    response: optional(nullable(text('Another address that the user has requested and nobody has confirmed.'))),
  },
  'is-site-admin': { response: optional(flag('Whether the user is a site administrator.')) },
  'is-admin': { response: optional(flag('The same as `is-site-admin`.')) },
  'two-factor': { response: optional(object({ enabled: flag(), verified: flag() })) },
  permissions: {
    response: optional(
      object({
        'can-create-organizations': flag(),
        'can-change-email': flag(),
        'can-change-username': flag(),
        'can-manage-user-tokens': flag(),
      }),
    ),
  },
} as const satisfies AttributeTable;

/** Maps the attributes of an account in a request to the domain. An omitted attribute is absent from the result. */
export const accountRequest = (given: RequestAttributes<typeof attributes>) => mapRequest(attributes, given, {});
