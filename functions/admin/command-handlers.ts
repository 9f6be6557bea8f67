import { checkTable } from '../../shared/store/consistency-check/check-table.ts';
import type { AdminDependencies } from './dependencies.ts';
import { grants } from './grants.ts';
import type { CommandHandlers } from './handler.ts';
import { help } from './help.ts';
import { organizations } from './organizations.ts';
import { projects } from './projects.ts';
import { records } from './records.ts';
import { releases } from './releases.ts';
import { teams } from './teams.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

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
