import { createHandler } from '../../shared/http/stack.ts';
import { createLogger } from '../../shared/logging/log.ts';

/** `GET /ping`, and everything that no route matches. */
export const handler = createHandler('fallback', { ping: async () => undefined }, { logger: createLogger('fallback') });
