import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { nullableObject, oneOf } from '../../schemas/parts.ts';

const days = Type.Optional(Type.Integer({ minimum: 1, maximum: limits.retentionDays }));

/** Both spellings of the attribute are sent (RET-5). */
const retentionPolicy = Type.Object({
  data: Type.Object({
    type: oneOf(retentionPolicyTypes),
    attributes: Type.Optional(nullableObject({ 'delete-older-than-n-days': days, deleteOlderThanNDays: days })),
  }),
});

export const retentionBodies = { retentionPolicy };
