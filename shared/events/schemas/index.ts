import type { TSchema } from 'typebox';
import { incomingEvents } from './incoming.ts';
import { outgoingEvents } from './outgoing.ts';

/** Every type of event that there is on the bus; `publish-schemas.ts` writes them into `published/`, for others. */
export const events = { ...outgoingEvents, ...incomingEvents } as const satisfies Record<string, TSchema>;
