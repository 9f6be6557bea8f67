import { createCommandHandlers } from '../../../functions/admin/command-handlers.ts';
import { openAdminDependencies } from '../../../functions/admin/dependencies.ts';
import { createHandler } from '../../../functions/admin/handler.ts';
import { type Clock, now } from '../../../shared/lib/clock.ts';
import type { Checked } from '../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';

/** Response of a command. */
// biome-ignore lint/suspicious/noExplicitAny: the response differs by command.
export type AdminResponse = Record<string, any>;

/** Opens the admin function for a table. Deletions do not wait for concurrent requests. */
export const openAdmin = (
  database: Database,
  clock: Clock = now,
  options: Parameters<typeof openAdminDependencies>[2] = {},
) => {
  const dependencies = openAdminDependencies(database, clock, { settling: 0, ...options });
  const handler = createHandler(createCommandHandlers(dependencies), () => undefined);
  const admin = async (command: string, parameters: object = {}): Promise<AdminResponse> =>
    handler({ command, ...parameters });
  return { ...dependencies, handler, admin, check: () => admin('check-table') as Promise<Checked> };
};
