import { exists } from '../../../domain/changes/conditions.ts';
import { OWNERS_TEAM, type Team, type User } from '../../../domain/directory/records.ts';
import { conflict, DomainError } from '../../../domain/errors.ts';
import { unassignSshKey } from '../../../domain/transitions/relationships/assign-ssh-key.ts';
import { revokeAccess } from '../../../domain/transitions/relationships/change-team-access.ts';
import type { RequestContext, Transition } from '../../../domain/transitions/transition.ts';
import { forceDelete } from '../../../domain/transitions/workspaces/delete-workspace.ts';
import {
  leaveProject,
  removeRepository,
  unassignAgentPool,
} from '../../../domain/transitions/workspaces/drop-references.ts';
import { inactivityFromProject } from '../../../domain/workspace/auto-destroy.ts';
import type { VcsRepo, Workspace } from '../../../domain/workspace/workspace-record.ts';
import { mapWithConcurrency } from '../../../lib/concurrency.ts';
import type { Item } from '../../dynamodb/item.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { projectOf } from '../../items/directory-items.ts';
import { accessChange, update } from '../../items/record-items.ts';
import { findWorkspaces } from '../../workspaces/find-workspaces.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { revokeProjectAccess } from '../projects/project-access.ts';
import { commit, done, unguarded } from '../records/commit.ts';
import { labels } from '../records/record-store.ts';
import { lastOwner } from '../users/memberships.ts';
import { isProject } from './close.ts';

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Creates the 422 error for a record that every organization must have. */
export const notRemovable = (detail: string): DomainError => new DomainError('unprocessable', detail);

/** Number of workspaces that are changed concurrently. */
const CONCURRENCY = 16;

/**
 * Opens the checks and changes of the references to a record that is deleted. Functions named `require…` throw a conflict
 * while the record is in use; all others end the use of a record, and can be repeated.
 * @param request returns the request on whose behalf workspaces are changed; it is called for each workspace.
 */
export const openUsage = (directory: DirectoryWriter, workspaces: Workspaces, request: () => RequestContext) => {
  const { table, records } = directory;
  const { database, clock } = table;

  /** @param mayFit excludes rows of the list index, so that their workspaces are not read. */
  const using = (organization: string, fits: (workspace: Workspace) => boolean, mayFit?: (row: Item) => boolean) =>
    findWorkspaces({ database, workspaces }, organization, fits, mayFit);

  const change = async (found: readonly Workspace[], transition: Transition): Promise<void> => {
    await mapWithConcurrency(found, CONCURRENCY, (workspace) => workspaces.apply(workspace, transition, request()));
  };

  const usingProject = (organization: string, id: string): Promise<Workspace[]> =>
    using(
      organization,
      ({ project }) => project === id,
      (row) => row['prj'] === id,
    );

  const usingPool = (organization: string, id: string): Promise<Workspace[]> =>
    using(organization, ({ settings }) => settings.agentPool === id);

  const isRepositoryOf =
    (kind: 'vcsConnection' | 'appInstallation', id: string) =>
    ({ oauthTokenId, appInstallationId }: VcsRepo): boolean =>
      (kind === 'vcsConnection' ? oauthTokenId : appInstallationId) === id;

  const usingRepositories = (kind: 'vcsConnection' | 'appInstallation', organization: string, id: string) => {
    const uses = isRepositoryOf(kind, id);
    return using(organization, ({ vcsRepo }) => vcsRepo !== null && uses(vcsRepo));
  };

  const revokeOrganizationPermissions = (team: Team): Promise<void> => {
    const key = keys.organization(team.organization);
    return commit(table, async () => {
      const { acc } = (await database.get(key, true)) ?? {};
      if (!Object.hasOwn((acc ?? {}) as object, team.id)) return done(undefined);
      return { writes: unguarded([update(key, accessChange(team.id, []), exists('pk'))]), result: undefined };
    });
  };

  return {
    /** @throws DomainError 409 while the organization has workspaces. */
    requireNoWorkspaces: async (organization: string): Promise<void> => {
      const found = await using(organization, () => true);
      if (found.length > 0) throw conflict(`The organization still has ${count(found.length, 'workspace')}.`);
    },

    /** Deletes workspaces that requests in progress created while their organization was deleted. */
    deleteWorkspaces: async (organization: string): Promise<void> => {
      const found = await using(organization, () => true);
      await mapWithConcurrency(found, CONCURRENCY, (workspace) => {
        const by = request();
        return workspaces.apply(workspace, forceDelete(by, clock()), by);
      });
    },

    /** @throws DomainError 422 for the default project; 409 while the project has workspaces (PROJECT-7). */
    requireUnusedProject: async (organization: string, id: string): Promise<void> => {
      const [found, organizationItem] = await Promise.all([
        usingProject(organization, id),
        directory.findOrganizationItem(organization),
      ]);
      if (organizationItem?.['defaultProject'] === id) throw notRemovable('The default project cannot be deleted.');
      if (found.length > 0) throw conflict(`The project still has ${count(found.length, 'workspace')}.`);
    },

    /** Moves the workspaces of a project to the default project. */
    emptyProject: async (organization: string, id: string): Promise<void> => {
      const [found, organizationItem] = await Promise.all([
        usingProject(organization, id),
        directory.findOrganizationItem(organization),
      ]);
      // The workspaces of a deleted organization are deleted with it.
      if (found.length === 0 || organizationItem === undefined || organizationItem['gone'] !== undefined) return;
      const to = await records.get('project', organization, String(organizationItem['defaultProject']));
      await change(found, leaveProject(id, { id: to.id, inactivity: inactivityFromProject(to) }, clock()));
    },

    /** @throws DomainError 409 while a workspace uses the agent pool, or it is a default. */
    requireUnusedPool: async (organization: string, id: string): Promise<void> => {
      const [found, projects, organizationItem] = await Promise.all([
        usingPool(organization, id),
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

    /** Unassigns an agent pool from all workspaces. */
    unassignPool: async (organization: string, id: string): Promise<void> =>
      change(await usingPool(organization, id), unassignAgentPool(id, clock())),

    /** @throws DomainError 409 while a workspace has a repository of the connection or installation. */
    requireNoRepositories: async (
      kind: 'vcsConnection' | 'appInstallation',
      organization: string,
      id: string,
    ): Promise<void> => {
      const found = await usingRepositories(kind, organization, id);
      if (found.length > 0) {
        throw conflict(`The ${labels[kind]} is still used by ${count(found.length, 'workspace')}.`);
      }
    },

    /** Removes the repositories of a connection or installation from all workspaces. */
    removeRepositories: async (
      kind: 'vcsConnection' | 'appInstallation',
      organization: string,
      id: string,
    ): Promise<void> =>
      change(await usingRepositories(kind, organization, id), removeRepository(isRepositoryOf(kind, id), clock())),

    /** Unassigns an SSH key from all workspaces. */
    unassignSshKey: async (organization: string, id: string): Promise<void> =>
      change(await using(organization, ({ sshKey }) => sshKey === id), unassignSshKey(id)),

    /** Revokes the permissions of a team, and its access to all workspaces and projects. */
    revokeAccessOf: async (team: Team): Promise<void> => {
      const has = (grants: unknown) => Object.hasOwn(grants as object, team.id);
      const [found, projects] = await Promise.all([
        using(
          team.organization,
          ({ access }) => has(access),
          (row) => has(row['acc']),
        ),
        records.list('project', team.organization),
        revokeOrganizationPermissions(team),
      ]);
      await change(found, revokeAccess(team.id));
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
        if ((await directory.othersIn(String(team), id)).length === 0) throw lastOwner(String(organization));
      }
    },
  };
};
