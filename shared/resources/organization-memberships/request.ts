import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { identifiers, oneOf, patterns, text } from '../../schemas/parts.ts';

/** Who is invited is named by e-mail address, as clients do, or by username. */
const membership = Type.Object({
  data: Type.Object({
    type: oneOf(['organization-memberships']),
    attributes: Type.Optional(
      Type.Object({
        email: Type.Optional(text(limits.email, { pattern: patterns.email, examples: ['grace@example.com'] })),
        username: Type.Optional(text(limits.username, { minLength: 1, pattern: patterns.pathName })),
      }),
    ),
    relationships: Type.Optional(Type.Object({ teams: Type.Optional(Type.Object({ data: identifiers(['teams']) })) })),
  }),
});

export const membershipBodies = { membership };
