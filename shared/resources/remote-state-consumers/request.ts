import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { oneOf, text } from '../../schemas/schema.ts';

/** Whole workspaces are accepted; only `type` and `id` count (CONS-3). The size of the body limits their number. */
const consumers = Type.Object({
  data: Type.Array(Type.Object({ type: oneOf(['workspaces']), id: text(undefined, { maxLength: limits.id }) })),
});

export const consumerBodies = { consumers };
