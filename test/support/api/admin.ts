import { createCommandHandlers } from '../../../functions/admin/command-handlers.ts';
import { openAdminDependencies } from '../../../functions/admin/dependencies.ts';
import { createHandler } from '../../../functions/admin/handler.ts';
import { type Clock, now } from '../../../shared/lib/clock.ts';
import type { Checked } from '../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';

/** What a command answers, as far as tests look at it. */
// biome-ignore lint/suspicious/noExplicitAny: every command answers something else, and tests say what.
export type AdminAnswer = Record<string, any>;

/** The admin function over a table, by command and parameters; deletions do not wait for requests under way. */
export const openAdmin = (database: Database, clock: Clock = now) => {
  const dependencies = openAdminDependencies(database, clock, { settling: 0 });
  const handler = createHandler(createCommandHandlers(dependencies));
  const admin = async (command: string, parameters: object = {}): Promise<AdminAnswer> =>
    handler({ command, ...parameters });
  return { ...dependencies, admin, check: () => admin('check-table') as Promise<Checked> };
};
