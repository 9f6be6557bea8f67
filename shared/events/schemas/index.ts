import type { TSchema } from 'typebox';
import { incomingEvents } from './incoming.ts';
import { outgoingEvents } from './outgoing.ts';

/** Schemas of all event types on the bus. `publish-schemas.ts` writes them to `published/`. */
export const events = { ...outgoingEvents, ...incomingEvents } as const satisfies Record<string, TSchema>;
