import Type from 'typebox';
import { id, nullableObject, oneOf } from '../../schemas/parts.ts';

/**
 * Two forms are sent (SSH-1): the workspace, with the key's id as its attribute, and the key itself, as a
 * resource identifier. In both a null takes the key away.
 */
const sshKeyAssignment = Type.Object({
  data: Type.Object({
    type: oneOf(['workspaces', 'ssh-keys']),
    id: Type.Optional(id),
    attributes: Type.Optional(nullableObject({ id: Type.Optional(id) })),
  }),
});

export const sshKeyBodies = { sshKeyAssignment };
