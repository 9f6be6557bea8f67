import Type, { type Static } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { nullableObject, nullableText } from '../../schemas/parts.ts';

/** Clients send no type, or none that means anything; all of it may be missing (HTTP-8, AUTH-12). */
const token = Type.Object({
  data: Type.Optional(
    nullableObject({
      attributes: Type.Optional(
        nullableObject({
          description: Type.Optional(nullableText(limits.recordDescription)),
          'expired-at': Type.Optional(nullableText(limits.expiry, { examples: ['2027-01-31T08:00:00Z'] })),
        }),
      ),
    }),
  ),
});

export const tokenBodies = { token };

export type TokenBody = Static<typeof token>;
