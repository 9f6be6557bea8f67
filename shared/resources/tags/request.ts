import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { nullable, nullableObject, oneOf, text } from '../../schemas/schema.ts';
import { requestAttributes, requestProperties } from '../attribute-schemas.ts';
import { attributes, bindingAttributes } from './attributes.ts';

/** A tag by id or by name. Clients that send one often send the other empty (TAG-6). */
const tagElement = Type.Object({
  type: oneOf(['tags']),
  id: Type.Optional(
    nullable(text('A tag of the organization. The name is ignored if an id is sent.', { maxLength: limits.id })),
  ),
  attributes: Type.Optional(nullableObject(requestProperties(attributes))),
});
export const tagElements = Type.Array(tagElement, { maxItems: limits.tagElements });

const bindingElement = Type.Object({
  type: Type.Optional(oneOf(['tag-bindings'])),
  attributes: requestAttributes(bindingAttributes, ['key']),
});
export const bindingElements = Type.Array(bindingElement, { maxItems: limits.tagElements });

const workspaceElements = Type.Array(
  Type.Object({ type: oneOf(['workspaces']), id: text(undefined, { maxLength: limits.id }) }),
  { minItems: 1, maxItems: limits.tagElements },
);

/** Schemas of the request bodies with tags, tag bindings, or the workspaces of a tag. */
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
