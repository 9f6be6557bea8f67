import { OWNERS_TEAM, type Team, type User } from '../../../domain/directory/records.ts';
import { conflict } from '../../../domain/errors.ts';
import { unassignSshKey } from '../../../domain/transitions/relationships/assign-ssh-key.ts';
import { revokeAccess } from '../../../domain/transitions/relationships/change-team-access.ts';
import type { RequestContext } from '../../../domain/transitions/transition.ts';
import type { Workspace } from '../../../domain/workspace/workspace-record.ts';
import type { Item } from '../../dynamodb/item.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { projectOf } from '../../items/directory-items.ts';
import { findWorkspaces } from '../../workspaces/find-workspaces.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { revokeProjectAccess } from '../projects/project-access.ts';
import { labels } from '../records/record-store.ts';
import { lastOwner } from '../users/memberships.ts';
import { isProject } from './close.ts';

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/**
 * Opens the checks and changes of the references to a record that is to be deleted. Each either throws a conflict while
 * the record is in use, or removes the references.
 * @param request returns the request on whose behalf workspaces are changed; it is called for each workspace.
 */
export const openUsage = (directory: DirectoryWriter, workspaces: Workspaces, request: () => RequestContext) => {
  const { table, records } = directory;
  const { database } = table;

  /** @param mayFit excludes rows of the list index, so that their workspaces are not read. */
  const using = (organization: string, fits: (workspace: Workspace) => boolean, mayFit?: (row: Item) => boolean) =>
    findWorkspaces({ database, workspaces }, organization, fits, mayFit);

  return {
    /** @throws DomainError 409 while the organization has workspaces. */
    requireNoWorkspaces: async (organization: string): Promise<void> => {
      const found = await using(organization, () => true);
      if (found.length > 0) throw conflict(`The organization still has ${count(found.length, 'workspace')}.`);
    },

    /** @throws DomainError 409 while the project has workspaces (PROJECT-7). */
    requireEmptyProject: async (organization: string, id: string): Promise<void> => {
      const found = await using(
        organization,
        ({ project }) => project === id,
        (row) => row['prj'] === id,
      );
      if (found.length > 0) throw conflict(`The project still has ${count(found.length, 'workspace')}.`);
    },

    /** @throws DomainError 409 while a workspace uses the agent pool, or it is a default. */
    requireUnusedPool: async (organization: string, id: string): Promise<void> => {
      const [found, projects, organizationItem] = await Promise.all([
        using(organization, ({ settings }) => settings.agentPool === id),
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
    requireNoRepositories: async (
      kind: 'vcsConnection' | 'appInstallation',
      organization: string,
      id: string,
    ): Promise<void> => {
      const found = await using(organization, ({ vcsRepo }) =>
        kind === 'vcsConnection' ? vcsRepo?.oauthTokenId === id : vcsRepo?.appInstallationId === id,
      );
      if (found.length > 0) {
        throw conflict(`The ${labels[kind]} is still used by ${count(found.length, 'workspace')}.`);
      }
    },

    /** Unassigns an SSH key from all workspaces. */
    unassignSshKey: async (organization: string, id: string): Promise<void> => {
      const transition = unassignSshKey(id);
      for (const workspace of await using(organization, ({ sshKey }) => sshKey === id)) {
        await workspaces.apply(workspace, transition, request());
      }
    },

    /** Revokes the access of a team to all workspaces and projects. */
    revokeAccessOf: async (team: Team): Promise<void> => {
      const has = (grants: unknown) => Object.hasOwn(grants as object, team.id);
      const found = await using(
        team.organization,
        ({ access }) => has(access),
        (row) => has(row['acc']),
      );
      for (const workspace of found) await workspaces.apply(workspace, revokeAccess(team.id), request());
      for (const { id, acc } of await records.list('project', team.organization)) {
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
        if ((await directory.othersIn(String(team), id)).length === 0) throw lastOwner(String(organization));
      }
    },
  };
};
