import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { findOverrides } from '../../../domain/tags/reserved-tag-keys.ts';
import type { Tags } from '../../../domain/tags/tag.ts';
import { forceDelete } from '../../../domain/transitions/workspaces/delete-workspace.ts';
import {
  leaveProject,
  removeRepository,
  unassignAgentPool,
} from '../../../domain/transitions/workspaces/drop-references.ts';
import { purge } from '../../../domain/transitions/workspaces/restore-workspace.ts';
import { inactivityFromProject } from '../../../domain/workspace/auto-destroy.ts';
import { isAlive } from '../../../domain/workspace/workspace-record.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { isRepositoryOf, type RepositoryOwner, type Uses } from './find-uses.ts';

/**
 * Opens the repairs of workspaces that requests in progress wrote while the record to which they refer was deleted
 * (REMOVE-3). Each repair can be repeated.
 */
export const openRepairs = (
  { table: { clock }, records }: DirectoryWriter,
  { findKept, ofProject, ofPool, ofRepositories, change }: Uses,
) => ({
  /** Deletes the workspaces of an organization, and purges the deleted ones. */
  deleteWorkspaces: async (request: RequestContext, organization: string): Promise<void> => {
    const kept = await findKept(organization);
    await change(request, kept.filter(isAlive), forceDelete(request, clock()));
    const deleted = kept.filter((workspace) => !isAlive(workspace));
    await change(request, deleted, purge(request, clock()));
  },

  /** Moves the workspaces of a project to the default project. */
  emptyProject: async (request: RequestContext, organization: string, id: string): Promise<void> => {
    const [found, stored] = await Promise.all([ofProject(organization, id), records.findOrganization(organization)]);
    // The workspaces of a deleted organization are deleted with it.
    if (found.length === 0 || stored === undefined || stored.deletedAt !== undefined) return;
    const to = await records.get('project', organization, stored.record.defaultProject);
    const target = {
      id: to.id,
      inactivity: inactivityFromProject(to),
      findOverrides: (tags: Tags) => findOverrides(tags, stored.record, to),
    };
    await change(request, found, leaveProject(id, target, clock()));
  },

  /** Unassigns an agent pool from all workspaces. */
  unassignPool: async (request: RequestContext, organization: string, id: string): Promise<void> =>
    change(request, await ofPool(organization, id), unassignAgentPool(id, clock())),

  /** Removes the repositories of a connection or installation from all workspaces. */
  removeRepositories: async (
    request: RequestContext,
    kind: RepositoryOwner,
    organization: string,
    id: string,
  ): Promise<void> =>
    change(request, await ofRepositories(kind, organization, id), removeRepository(isRepositoryOf(kind, id), clock())),
});
