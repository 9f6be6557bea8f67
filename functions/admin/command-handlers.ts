import { checkTable } from '../../shared/store/consistency-check/check-table.ts';
import { indexVariables } from '../../shared/store/variables/index-variables.ts';
import { grants } from './commands/grants.ts';
import { history } from './commands/history.ts';
import { identityProviders } from './commands/identity-providers.ts';
import { organizations } from './commands/organizations.ts';
import { projects } from './commands/projects.ts';
import { records } from './commands/records.ts';
import { releases } from './commands/releases.ts';
import { signInLink } from './commands/sign-in-link.ts';
import { suspension } from './commands/suspension.ts';
import { teams } from './commands/teams.ts';
import { tokens } from './commands/tokens.ts';
import { users } from './commands/users.ts';
import type { AdminDependencies } from './dependencies.ts';
import type { CommandHandlers } from './handler.ts';
import { adminCommands, invalidParameter } from './parameters.ts';

/** Creates the handlers of all admin commands. */
export const createCommandHandlers = (dependencies: AdminDependencies): CommandHandlers => ({
  help: adminCommands.help,
  ...organizations(dependencies),
  ...projects(dependencies),
  ...teams(dependencies),
  ...users(dependencies),
  ...suspension(dependencies),
  ...identityProviders(dependencies),
  ...signInLink(dependencies),
  ...records(dependencies),
  ...releases(dependencies),
  ...grants(dependencies),
  ...tokens(dependencies),
  ...history(dependencies),
  afterRestore: ({ restart, dryRun = false, ...choices }, { remaining }) => {
    const compared = Object.entries(choices).find(([, choice]) => choice === 'compare');
    if (compared !== undefined && !dependencies.hasReplaced)
      throw invalidParameter(
        compared[0],
        `${compared[0]} cannot be compare, because the setting restoredTable is not set: there is no replaced table`,
      );
    return dependencies.afterRestore({ ...choices, dryRun }, { remaining, restart });
  },
  checkTable: ({ restart }, { remaining }) => {
    const { database, clock } = dependencies;
    return checkTable(database, { clock, remaining, restart });
  },
  indexVariables: ({ restart }, { remaining }) => indexVariables(dependencies, { remaining, restart }),
});
