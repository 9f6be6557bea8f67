import Type from 'typebox';
import { nullableId } from '../../schemas/request-schema.ts';
import { nullableObject, oneOf } from '../../schemas/schema.ts';

/**
 * Two forms are sent (SSH-1): the workspace, with the key's id as its attribute, and the key itself, as a
 * resource identifier. In both a null takes the key away.
 */
const sshKeyAssignment = Type.Object({
  data: Type.Object({
    type: oneOf(['workspaces', 'ssh-keys']),
    id: Type.Optional(nullableId),
    attributes: Type.Optional(nullableObject({ id: Type.Optional(nullableId) })),
  }),
});

export const sshKeyBodies = { sshKeyAssignment };
