import { OWNERS_TEAM } from '../../shared/domain/directory.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { type OrganizationPermission, organizationPermissions } from '../../shared/domain/grants.ts';
import { accessChange, OPEN, update } from '../../shared/store/administration-items.ts';
import { noOrganization } from '../../shared/store/administration-records.ts';
import { keys } from '../../shared/store/keys.ts';
import type { Operations } from './handler.ts';
import { invalidParameter } from './parameters.ts';
import type { Services } from './services.ts';
import { showTeam } from './show.ts';

/** Which permissions are given only together with another (contract 7.1). */
const required: Partial<Record<OrganizationPermission, readonly OrganizationPermission[]>> = {
  'manage-projects': ['manage-workspaces', 'read-workspaces'],
  'read-projects': ['read-workspaces'],
};

const isPermission = (text: string): text is OrganizationPermission =>
  (organizationPermissions as readonly string[]).includes(text);

/**
 * A list, or words with commas between them.
 * @throws DomainError 422 for what is no permission, or needs one that is not given.
 */
const readPermissions = (given: string | readonly string[]): readonly OrganizationPermission[] => {
  const words = (typeof given === 'string' ? given.split(',') : given).map((word) => word.trim());
  const refuse = (detail: string) => invalidParameter('permissions', detail);
  const permissions = words
    .filter((word) => word !== '')
    .map((word) => {
      if (!isPermission(word))
        throw refuse(`${word} is no permission; there are: ${organizationPermissions.join(', ')}`);
      return word;
    });
  for (const permission of permissions) {
    const lacking = required[permission]?.find((other) => !permissions.includes(other));
    if (lacking !== undefined) throw refuse(`${permission} requires ${lacking}`);
  }
  return organizationPermissions.filter((permission) => permissions.includes(permission));
};

const fixed = (detail: string) => new DomainError('unprocessable', detail);

export const teams = ({
  administration,
  removal,
}: Services): Pick<Operations, 'createTeam' | 'updateTeam' | 'deleteTeam'> => {
  const { records } = administration;
  return {
    createTeam: async ({ organization, name, permissions: given = [], visibility = 'secret' }) => {
      const permissions = readPermissions(given);
      const { record, created } = await records.create(
        'team',
        { organization, name, permissions, visibility },
        (id) => ({
          // The write that lets it do things there is also the check that the organization is there.
          ...(permissions.length > 0 && {
            parent: { write: update(keys.organization(organization), accessChange(id, permissions), OPEN) },
          }),
        }),
      );
      return { team: showTeam(record), created };
    },

    updateTeam: async ({ organization, name, newName, permissions: given, visibility }) => {
      const permissions = given === undefined ? undefined : readPermissions(given);
      const team = await records.update('team', organization, name, async ({ id, name: before }) => {
        if (before === OWNERS_TEAM && newName !== undefined && newName !== before) {
          throw fixed('The owners team cannot be renamed.');
        }
        if (before === OWNERS_TEAM && permissions !== undefined) throw fixed('The owners team may do everything.');
        const isRenamed = newName !== undefined && newName !== before;
        return {
          ...(newName !== undefined && { newName }),
          change: { set: { ...(visibility && { visibility }), ...(permissions && { permissions }) } },
          beside: [
            ...(permissions
              ? [
                  {
                    write: update(keys.organization(organization), accessChange(id, permissions), OPEN),
                    refusal: noOrganization,
                  },
                ]
              : []),
            ...(isRenamed ? await administration.tokenRenames({ kind: 'team', id }, newName) : []),
          ],
        };
      });
      return { team: showTeam(team) };
    },

    deleteTeam: async ({ organization, name }) => {
      await removal.removeRecord('team', organization, name);
      return { deleted: name };
    },
  };
};
