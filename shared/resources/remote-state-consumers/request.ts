import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { exampleId, oneOf, text } from '../../schemas/schema.ts';

/** Whole workspaces are accepted; only `type` and `id` count (CONS-3). The size of the body limits their number. */
const consumers = Type.Object(
  {
    data: Type.Array(Type.Object({ type: oneOf(['workspaces']), id: text(undefined, { maxLength: limits.id }) })),
  },
  { examples: [{ data: [{ type: 'workspaces', id: exampleId(prefixes.workspace) }] }] },
);

export const consumerBodies = { consumers };
