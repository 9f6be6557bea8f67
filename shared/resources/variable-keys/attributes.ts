import { text } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';
import { attributes as variableAttributes } from '../variables/attributes.ts';

/** The attributes of a variable that is found by its key (VAR-19). They contain no value. */
export const attributes = {
  key: { response: variableAttributes.key.response },
  category: { response: variableAttributes.category.response },
  'owner-name': { response: text('Name of the workspace or variable set.') },
} as const satisfies AttributeTable;
