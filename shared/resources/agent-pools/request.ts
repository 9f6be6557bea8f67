import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { id, oneOf, patterns, text } from '../../schemas/parts.ts';

const agentPool = Type.Object({
  data: Type.Object({
    type: oneOf(['agent-pools']),
    id: Type.Optional(id),
    attributes: Type.Optional(
      Type.Object({
        name: Type.Optional(
          text(limits.recordName, { minLength: 1, pattern: patterns.shownName, examples: ['build'] }),
        ),
      }),
    ),
  }),
});

export const agentPoolBodies = { agentPool };
