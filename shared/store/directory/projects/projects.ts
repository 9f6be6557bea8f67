import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { Precondition } from '../../../domain/changes/entity-tags.ts';
import type { Organization, Project } from '../../../domain/directory/records.ts';
import {
  grantProjectAccess,
  type RequestedAccess,
  revokeProjectAccess,
} from '../../../domain/directory/transitions/project-access.ts';
import {
  newProject,
  type ProjectChange,
  type ProjectDefaults,
  poolsOfDefaults,
  projectDefaults,
  updateProject,
} from '../../../domain/directory/transitions/projects.ts';
import type { Created } from '../../../domain/directory/transitions/records.ts';
import type { Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import { SETTLING } from '../records/settling.ts';

/**
 * Opens the changes of projects, of the settings that their workspaces inherit, and of the access of teams to them. All
 * reads are strongly consistent.
 */
export const openProjects = (
  { clock }: Table,
  records: RecordStore,
  organizations: { readonly get: (name: string) => Promise<Organization> },
) => {
  /** Plans the defaults that a request changes; undefined if it changes none. @throws DomainError 404, 422. */
  const planDefaults = async (
    organization: string,
    change: ProjectChange,
    before: Pick<Project, 'defaultExecutionMode' | 'defaultAgentPool'> & { readonly id?: string },
  ): Promise<ProjectDefaults | undefined> => {
    if (change.defaultExecutionMode === undefined && change.defaultAgentPool === undefined) return undefined;
    const names = poolsOfDefaults(change, before, await organizations.get(organization));
    const name = names.requested ?? names.fallback;
    const pool = name === undefined ? undefined : await records.find('agentPool', organization, name);
    return projectDefaults(names, pool, before);
  };

  return {
    /** Creates a project, or returns the one of that name. @throws DomainError 404, 422. */
    create: async (
      request: RequestContext,
      organization: string,
      name: string,
      change: ProjectChange,
    ): Promise<Created<Project>> => {
      const defaults = await planDefaults(organization, change, { defaultExecutionMode: null, defaultAgentPool: null });
      const fields = newProject(organization, name, change, defaults, clock());
      return records.create(request, 'project', fields, { others: defaults?.effects ?? [] });
    },

    /**
     * Updates a project.
     * @param allow throws if the caller may not make the change.
     * @throws DomainError 404; 422, also when the new name is taken.
     */
    update: (
      request: RequestContext,
      organization: string,
      nameOrId: string,
      change: ProjectChange & { readonly newName?: string },
      allow?: (before: Project, change: ProjectChange) => void,
    ): Promise<Project> =>
      records.updateSettings(request, 'project', organization, nameOrId, async (before, { at }) => {
        allow?.(before, change);
        return updateProject(before, change, await planDefaults(organization, change, before), at, SETTLING);
      }),

    /** Grants a team access to a project, or changes its access. @throws DomainError 404, 412. */
    grantAccess: (
      request: RequestContext,
      organization: string,
      project: string,
      access: RequestedAccess,
    ): Promise<Project> =>
      records.update(request, 'project', organization, project, (current, attempt) =>
        grantProjectAccess(attempt, current, access),
      ),

    /** Revokes the access of a team to a project. Nothing changes if the team has none. */
    revokeAccess: (
      request: RequestContext,
      organization: string,
      project: string,
      team: string,
      precondition?: Precondition,
    ): Promise<Project> =>
      records.update(request, 'project', organization, project, (current, attempt) =>
        revokeProjectAccess(attempt, current, team, precondition),
      ),
  };
};
