import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { related } from '../../shared/documents/inclusion.ts';
import { presentPage } from '../../shared/documents/workspace-documents.ts';
import type { AgentPool } from '../../shared/domain/directory/records.ts';
import {
  effectiveExecution,
  inheritedExecution,
  isAlive,
  type Workspace,
} from '../../shared/domain/workspace/workspace-record.ts';
import type { Resource } from '../../shared/jsonapi/document.ts';
import { agentPoolResource } from '../../shared/resources/agent-pools/response.ts';
import { projectResource } from '../../shared/resources/projects/response.ts';
import type { AgentPoolInclude } from '../../shared/routes/route.ts';
import { findWorkspaces } from '../../shared/store/workspaces/find-workspaces.ts';
import type { IntegrationDependencies } from './dependencies.ts';

/**
 * Builds the resources of agent pools with what a request includes (POOL-7): the workspaces that use a pool, and those and
 * the projects that its scope names. Only what the caller can read is included.
 */
export const presentPools = async (
  dependencies: IntegrationDependencies,
  { caller, organization }: Pick<OrganizationAccess, 'caller' | 'organization'>,
  pools: readonly AgentPool[],
  { include, url }: { readonly include: ReadonlySet<AgentPoolInclude>; readonly url: string },
): Promise<{ readonly data: readonly Resource[]; readonly included: readonly Resource[] }> => {
  const { store } = dependencies;
  await store.listIndexes.refresh(organization.name);
  const listIndex = await store.listIndexes.open(organization);
  const projectOf = async (id: string) => listIndex.project(id) ?? (await store.projects.find(id, true));

  const selectReadable = async (workspaces: readonly Workspace[]): Promise<readonly Workspace[]> => {
    const decided = await Promise.all(
      workspaces.map(async (workspace) => {
        const project = await projectOf(workspace.project);
        return canRead(effectiveRights(caller, organization, project, workspace)) ? [workspace] : [];
      }),
    );
    return decided.flat();
  };

  const named = new Set(
    pools.flatMap(({ allowedWorkspaces = [], excludedWorkspaces = [] }) => [
      ...(include.has('allowed_workspaces') ? allowedWorkspaces : []),
      ...(include.has('excluded_workspaces') ? excludedWorkspaces : []),
    ]),
  );
  const poolOf = (workspace: Workspace): string | null => {
    const project = listIndex.project(workspace.project);
    return project === undefined
      ? workspace.settings.agentPool
      : effectiveExecution(workspace, inheritedExecution(organization, project)).agentPool;
  };
  const ids = new Set(pools.map(({ id }) => id));
  const users = include.has('workspaces')
    ? await selectReadable(
        await findWorkspaces(
          { database: dependencies.database, workspaces: store.workspaces },
          organization.name,
          (workspace) => ids.has(poolOf(workspace) ?? ''),
        ),
      )
    : [];
  const others = await store.workspaces.findAll(
    [...named].map((id) => ({ id, hasLongText: true })),
    true,
  );
  const inScope = await selectReadable(others.filter(isAlive));
  const workspaces = new Map([...inScope, ...users].map((workspace) => [workspace.id, workspace]));
  const presented = await presentPage(dependencies, listIndex, { caller, organization }, [...workspaces.values()], {
    include: new Set(),
    url,
  });

  const projectIds = include.has('allowed_projects')
    ? pools.flatMap(({ allowedProjects = [] }) => allowedProjects)
    : [];
  const findProject = await store.records.find(
    projectIds.map((id) => ({ kind: 'project', id })),
    true,
  );
  const projects = [...new Set(projectIds)].flatMap((id) => {
    const project = findProject('project', id);
    const rights = effectiveRights(caller, organization, project);
    return project !== undefined && canRead(rights) ? [projectResource({ project, organization, rights })] : [];
  });

  const data = pools.map((pool) => {
    const resource = agentPoolResource(pool);
    if (!include.has('workspaces')) return resource;
    const using = presented.data.filter(({ id }) => users.some((user) => user.id === id && poolOf(user) === pool.id));
    const { relationships } = related('workspaces', `${resource.links?.['self']}?include=workspaces`, using);
    return { ...resource, relationships: { ...resource.relationships, ...relationships } };
  });
  return { data, included: [...presented.data, ...projects] };
};
