import Type from 'typebox';
import type { VariableSetChangeType } from '../../domain/changes/change-records.ts';
import { oneOf } from '../../schemas/schema.ts';
import { defineEvents, type EventDefinition, type EventOf, envelopes, text } from './envelope.ts';
import { keys, matches, variable } from './outgoing.ts';

const ids = (description: string) => Type.Array(text('Id of a workspace or project.'), { description });

/** Schemas of outgoing events of variable sets: one for each type of change record (EVENT-1). */
export const variableSetEvents = defineEvents(envelopes.variableSetEnvelope, {
  'variable-set.created': ['A variable set was created.', {}],
  'variable-set.updated': ['Attributes of a variable set changed.', { keys }],
  'variable-set.deleted': ['A variable set was deleted, with its variables.', {}],
  'variable-set.assignments-changed': [
    'A variable set was assigned to workspaces or projects, or removed from them. A request with many elements has several such events.',
    {
      assignments: Type.Object({
        target: oneOf(['workspaces', 'projects']),
        added: ids('Where the variable set applies now.'),
        removed: ids('Where the variable set no longer applies.'),
      }),
    },
  ],
  'variable-set.variable-created': ['A variable of a variable set was created.', { variable }],
  'variable-set.variable-updated': ['A variable of a variable set changed.', { keys, variable }],
  'variable-set.variable-deleted': ['A variable of a variable set was deleted.', { variable }],
  'variable-set.variable-verified': [
    'A caller verified a value against that of a variable of a variable set. The event does not contain the value.',
    { variable, matches },
  ],
} satisfies Record<VariableSetChangeType, EventDefinition>);

export type VariableSetEvent = EventOf<typeof variableSetEvents>;
