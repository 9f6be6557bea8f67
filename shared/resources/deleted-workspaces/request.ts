import Type from 'typebox';
import { nullableId } from '../../schemas/request-schema.ts';
import { nullable, nullableObject, oneOf } from '../../schemas/schema.ts';
import { attributes } from '../workspaces/attributes.ts';

/** The body of a restoration: a document with another name for the workspace, or no body (DEL-18). */
const restoration = nullableObject(
  {
    data: Type.Optional(
      nullableObject({
        type: Type.Optional(oneOf(['workspaces', 'deleted-workspaces'])),
        id: Type.Optional(nullableId),
        attributes: Type.Optional(nullableObject({ name: Type.Optional(nullable(attributes.name.request)) })),
      }),
    ),
  },
  { examples: [{ data: { type: 'workspaces', attributes: { name: 'network-restored' } } }] },
);

export const deletedWorkspaceBodies = { restoration };
