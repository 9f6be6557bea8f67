import type { TSchema } from 'typebox';
import { incomingEvents } from './incoming.ts';
import { outgoingEvents } from './outgoing.ts';
import { organizationEvents } from './outgoing-organization.ts';
import { variableSetEvents } from './outgoing-variable-sets.ts';
import { snapshotEvents } from './snapshots.ts';

/** Schemas of all event types on the bus. `publish-schemas.ts` writes them to `published/`. */
export const events = {
  ...outgoingEvents,
  ...variableSetEvents,
  ...organizationEvents,
  ...snapshotEvents,
  ...incomingEvents,
} as const satisfies Record<string, TSchema>;
