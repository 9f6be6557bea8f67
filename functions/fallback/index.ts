import { createMaintenanceHandler } from '../../shared/http/maintenance.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { isUnderMaintenance } from '../../shared/runtime/environment.ts';

const logger = createLogger('fallback');

/** `GET /ping`, and everything that no route matches. During maintenance, every route leads here. */
export const handler = isUnderMaintenance()
  ? createMaintenanceHandler(logger)
  : createHandler('fallback', { ping: async () => undefined }, { logger });
