import { endpoints } from '../../shared/http/endpoints.ts';
import { answerUnrouted } from '../../shared/http/unrouted.ts';
import { createLogger } from '../../shared/observe/log.ts';

const logger = createLogger('fallback');

const ping = endpoints('fallback', { ping: async () => undefined }, { logger });

/** `GET /ping`, and everything that no route matches. */
export const handler: typeof ping = async (event, context) =>
  event.routeKey === '$default' ? answerUnrouted(event) : ping(event, context);
