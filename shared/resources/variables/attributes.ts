import { limits } from '../../domain/limits.ts';
import { categories } from '../../domain/workspace/variable.ts';
import { patterns } from '../../schemas/patterns.ts';
import { flag, nullable, oneOf, text, time } from '../../schemas/schema.ts';
import type { AttributeTable, RequestAttributes } from '../attribute-table.ts';

/** The attributes of a variable (VAR-1). */
export const attributes = {
  key: {
    request: text(
      `Unique among the variables of the workspace in its category. At most ${limits.variableKey} characters, without the surrounding spaces, which are removed.`,
      { maxLength: limits.variableKeyAsSent },
    ),
    response: text(),
  },
  value: {
    request: nullable(
      text(`At most ${limits.variableValue} bytes; empty if omitted. Null is the same as omitted.`, {
        maxLength: limits.variableValue,
      }),
    ),
    response: nullable(
      text('Null if the variable is sensitive, because no response contains such a value, or has a value reference.'),
    ),
  },
  'value-reference': {
    request: nullable(
      text(
        'Where the value is, instead of a value: an SSM parameter or a Secrets Manager secret below an allowed prefix. Null is the same as omitted.',
        {
          maxLength: limits.valueReference,
          pattern: patterns.valueReference,
          examples: ['ssm:/production/database/password'],
        },
      ),
    ),
    response: nullable(text('An SSM parameter or a Secrets Manager secret, which the service never reads.')),
  },
  description: {
    request: nullable(text(undefined, { maxLength: limits.variableDescription })),
    response: nullable(text()),
  },
  sensitive: {
    request: flag('Whether the value can be replaced but never read again; false if omitted. It cannot be unset.'),
    response: flag('Whether the value can be replaced but not read.'),
  },
  category: {
    request: oneOf(
      ['infra', 'env', 'terraform'],
      'For the infrastructure tool itself, or for its environment. `terraform` is another name of `infra`.',
    ),
    response: oneOf(
      [...categories, 'terraform'],
      'For the infrastructure tool itself, or for its environment. Clients of Terraform and OpenTofu receive `terraform` instead of `infra`; the request header `Holdfast-Vocabulary` (`infra` or `terraform`) decides for any client.',
    ),
  },
  hcl: {
    request: flag('Whether the value is an expression to evaluate; false if omitted. Ignored in the environment.'),
    response: flag('Whether the value is an expression to evaluate.'),
  },
  'created-at': { response: time() },
  'version-id': {
    response: text('Changes with every update.', {
      pattern: '^[0-9a-f]{64}$',
      examples: ['699b14ea5d5e5c02f6352fac6bfd0a1424c21d32be14d1d9eb79f5e1f28f663a'],
    }),
  },
} as const satisfies AttributeTable;

/** The attributes of a variable in a request. */
export type VariableAttributes = RequestAttributes<typeof attributes>;
