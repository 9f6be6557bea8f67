import type { TSchema } from 'typebox';
import { incomingEvents } from './incoming.ts';
import { outgoingEvents } from './outgoing.ts';
import { organizationEvents } from './outgoing-organization.ts';
import { variableSetEvents } from './outgoing-variable-sets.ts';

/** Schemas of all event types on the bus. `publish-schemas.ts` writes them to `published/`. */
export const events = {
  ...outgoingEvents,
  ...variableSetEvents,
  ...organizationEvents,
  ...incomingEvents,
} as const satisfies Record<string, TSchema>;
