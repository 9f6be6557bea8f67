import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { id, oneOf, patterns, text } from '../../schemas/parts.ts';

const sshKey = Type.Object({
  data: Type.Object({
    type: oneOf(['ssh-keys']),
    id: Type.Optional(id),
    attributes: Type.Optional(
      Type.Object({
        name: Type.Optional(
          text(limits.recordName, { minLength: 1, pattern: patterns.shownName, examples: ['deploy'] }),
        ),
        value: Type.Optional(
          text(limits.secret, { minLength: 1, description: 'The private key. It is encrypted, and never answered.' }),
        ),
      }),
    ),
  }),
});

export const sshKeyBodies = { sshKey };
