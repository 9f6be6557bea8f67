import Type from 'typebox';
import { resource } from '../../schemas/resource-schema.ts';
import { anything, nullable, object, oneOf, optional, text } from '../../schemas/schema.ts';
import { dryRunOutcomes } from './response.ts';

export const dryRun = resource('DryRun', {
  type: 'dry-runs',
  description: 'The effect that a request would have. Nothing was changed.',
  id: text('Id of the request.'),
  attributes: {
    outcome: oneOf(dryRunOutcomes, 'What the request would do.'),
    changes: Type.Unsafe({
      type: 'object',
      description: 'Attributes and relationships that would change, by name.',
      patternProperties: {
        '^[a-z][a-z-]*$': object({ old: anything('Present value.'), new: anything('Value after the change.') }),
      },
      additionalProperties: false,
    }),
    refusal: nullable(
      object(
        {
          status: text('HTTP status that the request would have.', { examples: ['409'] }),
          title: text(),
          detail: optional(text('Explanation for people.')),
          source: optional(object({ pointer: optional(text()), parameter: optional(text()) })),
          meta: optional(anything('Facts about a conflict, such as the lock and its holder.')),
        },
        { description: 'Error that the request would be rejected with.' },
      ),
    ),
  },
});
