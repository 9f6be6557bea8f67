import { endpoints } from '../../shared/http/endpoints.ts';
import { createLogger } from '../../shared/observe/log.ts';

/** `GET /ping`, and everything that no route matches. */
export const handler = endpoints('fallback', { ping: async () => undefined }, { logger: createLogger('fallback') });
