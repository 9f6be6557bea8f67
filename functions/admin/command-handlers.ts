import { checkTable } from '../../shared/store/consistency-check/check-table.ts';
import { grants } from './grants.ts';
import type { CommandHandlers } from './handler.ts';
import { help } from './help.ts';
import { organizations } from './organizations.ts';
import { projects } from './projects.ts';
import { records } from './records.ts';
import { releases } from './releases.ts';
import type { AdminServices } from './services.ts';
import { teams } from './teams.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

export const createCommandHandlers = (services: AdminServices): CommandHandlers => ({
  help,
  ...organizations(services),
  ...projects(services),
  ...teams(services),
  ...users(services),
  ...records(services),
  ...releases(services),
  ...grants(services),
  ...tokens(services),
  checkTable: () => checkTable(services.database),
});
