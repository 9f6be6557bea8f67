import {
  lackingPermission,
  type OrganizationPermission,
  teamPermissions,
} from '../../../shared/domain/directory/grants.ts';
import { defaultSettings } from '../../../shared/resources/attribute-table.ts';
import { attributes } from '../../../shared/resources/teams/attributes.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';
import { show } from './show.ts';

const isPermission = (text: string): text is OrganizationPermission =>
  (teamPermissions as readonly string[]).includes(text);

/**
 * Reads permissions from a list or a comma-separated text.
 * @throws DomainError 422 for an unknown permission, or one that requires another permission that is not given.
 */
const readPermissions = (given: string | readonly string[]): readonly OrganizationPermission[] => {
  const words = (typeof given === 'string' ? given.split(',') : given).map((word) => word.trim());
  const invalidPermissions = (detail: string) => invalidParameter('permissions', detail);
  const permissions = words
    .filter((word) => word !== '')
    .map((word) => {
      if (!isPermission(word))
        throw invalidPermissions(`${word} is not a permission; use: ${teamPermissions.join(', ')}`);
      return word;
    });
  const lacking = lackingPermission(permissions);
  if (lacking !== undefined)
    throw invalidPermissions(`${lacking.of} requires ${lacking.permission}; add it to permissions`);
  return teamPermissions.filter((permission) => permissions.includes(permission));
};

/** Creates the handlers of the commands for teams. */
export const teams = ({
  directory,
  removal,
}: AdminDependencies): Pick<CommandHandlers, 'createTeam' | 'updateTeam' | 'deleteTeam'> => ({
  createTeam: async ({ organization, name, permissions: given = [], visibility, service = false }) => {
    const permissions = readPermissions(given);
    const { record, created } = await directory.teams.create(adminRequest(), {
      ...defaultSettings(attributes),
      ...{ organization, name, permissions },
      ...(visibility && { visibility }),
      ...(service && { service }),
    });
    return { team: show(record), created };
  },

  updateTeam: async ({ organization, name, newName, permissions: given, visibility }) => {
    const permissions = given === undefined ? undefined : readPermissions(given);
    const team = await directory.teams.update(adminRequest(), organization, name, () => ({
      ...(newName !== undefined && { newName }),
      ...(visibility && { visibility }),
      ...(permissions && { permissions }),
    }));
    return { team: show(team) };
  },

  deleteTeam: async ({ organization, name }) => {
    await removal.removeRecord(adminRequest(), 'team', organization, name);
    return { deleted: name };
  },
});
