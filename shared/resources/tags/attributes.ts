import { limits } from '../../domain/limits.ts';
import { count, nullable, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of a flat tag (TAG-11). */
export const attributes = {
  name: {
    request: nullable(text(`1 to ${limits.tagName} letters, digits, \`:\`, \`-\` and \`_\`.`)),
    response: text(undefined, { examples: ['network'] }),
  },
  'created-at': { response: time('When the tag was added to the first of the workspaces that have it.') },
  'instance-count': { response: count('Number of workspaces of the organization that have the tag.', { minimum: 1 }) },
} as const satisfies AttributeTable;

/** The attributes of a tag binding (TAG-2). */
export const bindingAttributes = {
  key: {
    request: text('Letters, digits, `_`, `.`, `=`, `+`, `-`, `@` and `:`; not beginning with `hc:` or `hcp:`.', {
      maxLength: limits.bindingKey,
      minLength: 1,
    }),
    response: text(undefined, { examples: ['env'] }),
  },
  value: {
    request: nullable(
      text('The same characters as in the key. Empty: the key is a flat tag.', { maxLength: limits.bindingValue }),
    ),
    response: text('Empty for a flat tag.', { examples: ['prod'] }),
  },
  'created-at': { response: time('When the key was added.') },
} as const satisfies AttributeTable;
