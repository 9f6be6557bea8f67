import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { nullableObject, nullableText, oneOf, text } from '../../schemas/parts.ts';

/** By id or by name; clients that give one often send the other empty (TAG-6). */
const tagElement = Type.Object({
  type: oneOf(['tags']),
  id: Type.Optional(
    nullableText(limits.id, { description: 'A tag of the organization. Where it is there, it counts.' }),
  ),
  attributes: Type.Optional(
    nullableObject({
      name: Type.Optional(nullableText(limits.tagName, { description: 'Letters, digits, `:`, `-` and `_`.' })),
    }),
  ),
});
export const tagElements = Type.Array(tagElement, { maxItems: limits.tagElements });

const bindingElement = Type.Object({
  type: Type.Optional(oneOf(['tag-bindings'])),
  attributes: Type.Object({
    key: text(limits.bindingKey, {
      description: 'Letters, digits, `_`, `.`, `=`, `+`, `-`, `@` and `:`; not beginning with `hc:` or `hcp:`.',
      minLength: 1,
    }),
    value: Type.Optional(
      nullableText(limits.bindingValue, { description: 'Of the same letters. Empty: the key is a flat tag.' }),
    ),
  }),
});
export const bindingElements = Type.Array(bindingElement, { maxItems: limits.tagElements });

const workspaceElements = Type.Array(Type.Object({ type: oneOf(['workspaces']), id: text(limits.id) }), {
  minItems: 1,
  maxItems: limits.tagElements,
});

export const tagBodies = {
  tags: Type.Object(
    { data: tagElements },
    { examples: [{ data: [{ type: 'tags', attributes: { name: 'network' } }] }] },
  ),
  tagBindings: Type.Object(
    { data: bindingElements },
    { examples: [{ data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] }] },
  ),
  tagWorkspaces: Type.Object(
    { data: workspaceElements },
    { examples: [{ data: [{ type: 'workspaces', id: 'ws-CvpbqPPtsWSnyrTk' }] }] },
  ),
};
