import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { isName } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { mayDefaultTo, mayUsePool } from '../../shared/domain/directory/agent-pools.ts';
import type { AgentPool, AgentPoolScope, Project } from '../../shared/domain/directory/records.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { limits } from '../../shared/domain/limits.ts';
import { isAlive, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import {
  type ScopeLists,
  scopeRelationshipNames,
  scopeRelationships,
} from '../../shared/resources/agent-pools/scope.ts';
import type { IntegrationDependencies } from './dependencies.ts';

/**
 * Checks the workspaces and projects that a request allows or excludes (POOL-6).
 * @param before the stored pool. Ids in its lists are accepted, even if their workspaces or projects are deleted.
 * @returns the lists of the pool that the request replaces.
 * @throws DomainError 422, pointing at the first id that does not belong to the organization.
 */
export const checkScope = async (
  { store }: Pick<IntegrationDependencies, 'store'>,
  organization: string,
  lists: ScopeLists,
  before?: AgentPool,
): Promise<Partial<AgentPoolScope>> => {
  const given = scopeRelationshipNames.flatMap((name) => {
    const stored = new Set(before?.[scopeRelationships[name]]);
    return (lists[name] ?? []).map((id, index) => ({ name, id, index, isStored: stored.has(id) }));
  });
  const unknown = given.filter(({ isStored }) => !isStored).map(({ id }) => id);
  const [workspaces, findProject] = await Promise.all([
    store.workspaces.findAll(
      [...new Set(unknown)].filter((id) => isId('workspace', id)).map((id) => ({ id, hasLongText: false })),
      true,
    ),
    store.records.find(
      unknown.filter((id) => isId('project', id)).map((id) => ({ kind: 'project', id })),
      true,
    ),
  ]);
  const known = new Set(workspaces.filter((it) => isAlive(it) && it.organization === organization).map(({ id }) => id));
  const exists = (name: (typeof scopeRelationshipNames)[number], id: string): boolean =>
    name === 'allowed-projects' ? findProject('project', id)?.organization === organization : known.has(id);
  for (const { name, id, index, isStored } of given) {
    if (isStored || exists(name, id)) continue;
    const noun = name === 'allowed-projects' ? 'Project' : 'Workspace';
    throw new DomainError('invalid-attribute', `${noun} does not exist in this organization`, {
      source: { pointer: `/data/relationships/${name}/data/${index}/id` },
    });
  }
  return Object.fromEntries(
    scopeRelationshipNames.flatMap((name) => {
      const list = lists[name];
      return list === undefined ? [] : [[scopeRelationships[name], [...new Set(list)]]];
    }),
  );
};

/** Finds a workspace that the caller can read by its name, with its project. */
const findReadable = async (
  { store }: Pick<IntegrationDependencies, 'store'>,
  { caller, organization }: OrganizationAccess,
  name: string,
): Promise<Workspace | undefined> => {
  const claim = isName(name) ? await store.workspaces.findClaim(organization.name, name) : undefined;
  const workspace = claim && (await store.workspaces.find(claim.workspace));
  if (!isAlive(workspace)) return undefined;
  const project = await store.projects.find(workspace.project, true);
  return canRead(effectiveRights(caller, organization, project, workspace)) ? workspace : undefined;
};

const findReadableProject = async (
  { directory }: Pick<IntegrationDependencies, 'directory'>,
  { caller, organization }: OrganizationAccess,
  name: string,
): Promise<Project | undefined> => {
  if (name.length > limits.projectName) return undefined;
  const project = await directory.records.find('project', organization.name, name);
  return project && canRead(effectiveRights(caller, organization, project)) ? project : undefined;
};

/**
 * Creates the filter of a list of agent pools by the name of a workspace or project that may use them (POOL-7). No pool
 * fits a name that the caller cannot read.
 */
export const createScopeFilter = async (
  dependencies: Pick<IntegrationDependencies, 'store' | 'directory'>,
  access: OrganizationAccess,
  query: URLSearchParams,
): Promise<(pool: AgentPool) => boolean> => {
  const workspaceName = query.get('filter[allowed_workspaces][name]') || query.get('filter[allowed-workspaces][name]');
  const projectName = query.get('filter[allowed_projects][name]');
  const [workspace, project] = await Promise.all([
    workspaceName ? findReadable(dependencies, access, workspaceName) : undefined,
    projectName ? findReadableProject(dependencies, access, projectName) : undefined,
  ]);
  return (pool) =>
    (!workspaceName || (workspace !== undefined && mayUsePool(pool, workspace))) &&
    (!projectName || (project !== undefined && mayDefaultTo(pool, project.id)));
};
