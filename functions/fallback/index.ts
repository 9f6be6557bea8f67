import { endpoints } from '../../shared/http/endpoints.ts';
import { createLogger } from '../../shared/logging/log.ts';

/** `GET /ping`, and everything that no route matches. */
export const handler = endpoints('fallback', { ping: async () => undefined }, { logger: createLogger('fallback') });
