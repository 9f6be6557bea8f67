import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { nullableId } from '../../schemas/request-schema.ts';
import { exampleId, nullableObject, oneOf } from '../../schemas/schema.ts';

/**
 * Clients send one of two forms (SSH-1): the workspace with the id of the key as an attribute, or the resource identifier
 * of the key. Null unassigns the key in both.
 */
const sshKeyAssignment = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['workspaces', 'ssh-keys']),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(nullableObject({ id: Type.Optional(nullableId) })),
    }),
  },
  { examples: [{ data: { type: 'workspaces', attributes: { id: exampleId(prefixes.sshKey) } } }] },
);

export const sshKeyBodies = { sshKeyAssignment };
