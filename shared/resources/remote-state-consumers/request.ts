import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { oneOf, text } from '../../schemas/parts.ts';

/** Whole workspaces are sent, where `type` and `id` would do (CONS-3). How many there may be, the body's size says. */
const consumers = Type.Object({
  data: Type.Array(Type.Object({ type: oneOf(['workspaces']), id: text(limits.id) })),
});

export const consumerBodies = { consumers };
