import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { list, text } from '../../schemas/schema.ts';
import { setting } from '../attribute-table.ts';

/** Builds the attribute of organizations and projects that allows value references by prefix (VAR-18). */
export function allowedValueReferences(description: string) {
  return setting({
    setting: 'allowedValueReferences',
    schema: list(
      text(undefined, {
        maxLength: limits.allowedValueReference,
        pattern: patterns.valueReferencePrefix,
        examples: ['ssm:/production/'],
      }),
      `${description} Only owners can change them.`,
      { maxItems: limits.allowedValueReferences },
    ),
    default: [],
  });
}
