import { checkTable } from '../../shared/store/consistency-check/check-table.ts';
import { grants } from './commands/grants.ts';
import { organizations } from './commands/organizations.ts';
import { projects } from './commands/projects.ts';
import { records } from './commands/records.ts';
import { releases } from './commands/releases.ts';
import { teams } from './commands/teams.ts';
import { tokens } from './commands/tokens.ts';
import { users } from './commands/users.ts';
import type { AdminDependencies } from './dependencies.ts';
import type { CommandHandlers } from './handler.ts';
import { help } from './help.ts';

/** Creates the handlers of all admin commands. */
export const createCommandHandlers = (dependencies: AdminDependencies): CommandHandlers => ({
  help,
  ...organizations(dependencies),
  ...projects(dependencies),
  ...teams(dependencies),
  ...users(dependencies),
  ...records(dependencies),
  ...releases(dependencies),
  ...grants(dependencies),
  ...tokens(dependencies),
  checkTable: () => checkTable(dependencies.database),
});
