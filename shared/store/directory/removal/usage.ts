import { exists } from '../../../domain/changes/conditions.ts';
import { OWNERS_TEAM, type Team, type User } from '../../../domain/directory/records.ts';
import { lastOwner } from '../../../domain/directory/transitions/memberships.ts';
import { recordLabels } from '../../../domain/directory/transitions/records.ts';
import { conflict, DomainError } from '../../../domain/errors.ts';
import { unassignSshKey } from '../../../domain/transitions/relationships/assign-ssh-key.ts';
import { revokeAccess } from '../../../domain/transitions/relationships/change-team-access.ts';
import { isAlive, isRestorable } from '../../../domain/workspace/workspace-record.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { projectOf } from '../../items/directory-items.ts';
import { accessChange, update } from '../../items/record-items.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { revokeProjectAccess } from '../projects/project-access.ts';
import { commit, done, unguarded } from '../records/commit.ts';
import { isProject } from './close.ts';
import type { RepositoryOwner, Uses } from './find-uses.ts';

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Creates the 422 error for a record that every organization must have. */
export const notRemovable = (detail: string): DomainError => new DomainError('unprocessable', detail);

/**
 * Opens the checks and changes of the first step of a deletion. Functions named `require…` throw a conflict while the
 * record is in use; all others end the use of a record, and can be repeated.
 */
export const openUsage = (
  directory: DirectoryWriter,
  { find, findKept, ofProject, ofPool, ofRepositories, change }: Uses,
) => {
  const { table, records } = directory;
  const { database } = table;

  const revokeOrganizationPermissions = (team: Team): Promise<void> => {
    const key = keys.organization(team.organization);
    return commit(table, async () => {
      const { acc } = (await database.get(key, true)) ?? {};
      if (!Object.hasOwn((acc ?? {}) as object, team.id)) return done(undefined);
      return { writes: unguarded([update(key, accessChange(team.id, []), exists('pk'))]), result: undefined };
    });
  };

  return {
    /** @throws DomainError 409 while the organization has workspaces, also deleted ones that can be restored. */
    requireNoWorkspaces: async (organization: string): Promise<void> => {
      const kept = await findKept(organization);
      const found = kept.filter(isAlive);
      if (found.length > 0) throw conflict(`The organization still has ${count(found.length, 'workspace')}.`);
      const deleted = kept.filter((workspace) => isRestorable(workspace, table.clock()));
      if (deleted.length > 0) {
        throw conflict(
          `The organization still has ${count(deleted.length, 'deleted workspace')} that can be restored. An owner can delete them permanently.`,
        );
      }
    },

    /** @throws DomainError 422 for the default project; 409 while the project has workspaces (PROJECT-7). */
    requireUnusedProject: async (organization: string, id: string): Promise<void> => {
      const [found, organizationItem] = await Promise.all([
        ofProject(organization, id),
        directory.findOrganizationItem(organization),
      ]);
      if (organizationItem?.['defaultProject'] === id) throw notRemovable('The default project cannot be deleted.');
      if (found.length > 0) throw conflict(`The project still has ${count(found.length, 'workspace')}.`);
    },

    /** @throws DomainError 409 while a workspace uses the agent pool, or it is a default. */
    requireUnusedPool: async (organization: string, id: string): Promise<void> => {
      const [found, projects, organizationItem] = await Promise.all([
        ofPool(organization, id),
        records.list('project', organization),
        directory.findOrganizationItem(organization),
      ]);
      const items = await database.getAll(
        projects.map((project) => keys.project(String(project['id']))),
        true,
      );
      const defaults = items.filter((item) => isProject(item) && projectOf(item).defaultAgentPool === id).length;
      const uses = [
        ...(found.length > 0 ? [`used by ${count(found.length, 'workspace')}`] : []),
        ...(defaults > 0 ? [`the default of ${count(defaults, 'project')}`] : []),
        ...(organizationItem?.['defaultAgentPool'] === id ? ['the default of 1 organization'] : []),
      ];
      if (uses.length > 0) throw conflict(`The agent pool is still ${uses.join(', and ')}.`);
    },

    /** @throws DomainError 409 while a workspace has a repository of the connection or installation. */
    requireNoRepositories: async (kind: RepositoryOwner, organization: string, id: string): Promise<void> => {
      const found = await ofRepositories(kind, organization, id);
      if (found.length > 0) {
        throw conflict(`The ${recordLabels[kind]} is still used by ${count(found.length, 'workspace')}.`);
      }
    },

    /** Unassigns an SSH key from all workspaces. */
    unassignSshKey: async (organization: string, id: string): Promise<void> =>
      change(await find(organization, ({ sshKey }) => sshKey === id), () => unassignSshKey(id)),

    /** Revokes the permissions of a team, and its access to all workspaces and projects. */
    revokeAccessOf: async (team: Team): Promise<void> => {
      const has = (grants: unknown) => Object.hasOwn(grants as object, team.id);
      const [found, projects] = await Promise.all([
        find(
          team.organization,
          ({ access }) => has(access),
          (row) => has(row['acc']),
        ),
        records.list('project', team.organization),
        revokeOrganizationPermissions(team),
      ]);
      await change(found, () => revokeAccess(team.id));
      for (const { id, acc } of projects) {
        const project = has(acc) ? await records.find('project', team.organization, String(id)) : undefined;
        if (project !== undefined) await revokeProjectAccess(records, team.organization, project.id, team.id);
      }
    },

    /** @throws DomainError 409 where the user is the only owner of an organization. */
    requireOtherOwners: async ({ id }: User): Promise<void> => {
      const partition = keys.user(id).pk;
      const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
      for (const { organization, team } of items.filter((one) => one['team'] !== undefined)) {
        const item = await database.get(keys.team(String(team)), true);
        if (item?.['name'] !== OWNERS_TEAM) continue;
        if (!(await directory.listMembers(String(team))).some((one) => one !== id))
          throw lastOwner(String(organization));
      }
    },
  };
};
