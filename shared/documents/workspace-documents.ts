import { seesTeam } from '../access/organization-policy.ts';
import { atLeast, canRead, effectiveRights } from '../access/rights.ts';
import { unavailable } from '../domain/errors.ts';
import { effectiveBindings } from '../domain/tags/tag.ts';
import { effectiveExecution, inheritedExecution, type Workspace } from '../domain/workspace/workspace-record.ts';
import type { Document, Resource } from '../jsonapi/document.ts';
import type { ListIndex } from '../list-index/list-index.ts';
import { agentPoolResource } from '../resources/agent-pools/response.ts';
import { organizationResource } from '../resources/organizations/response.ts';
import { projectResource } from '../resources/projects/response.ts';
import { runResource } from '../resources/runs/response.ts';
import { effectiveBindingResource } from '../resources/tags/response.ts';
import { teamResource } from '../resources/teams/response.ts';
import { userResource } from '../resources/users/response.ts';
import { variableResource } from '../resources/variables/response.ts';
import { workspaceResource } from '../resources/workspaces/response.ts';
import { BASE_PATH } from '../routes/api.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import { type Found, type RecordReference, runReference } from '../store/directory/directory-reader.ts';
import { runInclusions } from './include-runs.ts';
import { stateInclusions } from './include-state.ts';
import {
  fromRecord,
  type IncludeRequest,
  type Inclusion,
  inclusion,
  isMember,
  mayReadRuns,
  type Presenting,
  related,
  type Seen,
} from './inclusion.ts';
import { createResponseSizeBudget } from './response-size-budget.ts';

/** Builds the documents of workspaces (WS-6), with the resources that a request includes (HTTP-29). */

/** Inclusions by the value of `include`. */
const inclusions: Readonly<Record<WorkspaceInclude, Inclusion>> = {
  organization: inclusion({
    build: (_, seen, { features }) =>
      fromRecord(isMember(seen) ? { ...seen, features } : undefined, organizationResource),
  }),
  project: inclusion({
    // Callers who may read the workspace only cannot see its project.
    needs: ({ workspace: { project: id }, organization, project, caller }) => ({
      project: canRead(effectiveRights(caller, organization, project)) ? { kind: 'project', id } : undefined,
    }),
    build: ({ project: found }, { organization, caller }) =>
      fromRecord(found, (project) =>
        projectResource({ project, organization, rights: effectiveRights(caller, organization, project) }),
      ),
  }),
  agent_pool: inclusion({
    needs: (seen) => {
      const { agentPool: id } = effectiveExecution(seen.workspace, inheritedExecution(seen.organization, seen.project));
      return { pool: id !== null && isMember(seen) ? { kind: 'agentPool', id } : undefined };
    },
    build: ({ pool }) => fromRecord(pool, agentPoolResource),
  }),
  locked_by: inclusion({
    needs: (seen) => {
      const { lock } = seen.workspace;
      return {
        user: lock?.kind === 'User' && isMember(seen) ? { kind: 'user', id: lock.by } : undefined,
        team: lock?.kind === 'Team' ? { kind: 'team', id: lock.by } : undefined,
        run: lock?.kind === 'Run' && mayReadRuns(seen) ? runReference(seen.workspace, lock.by) : undefined,
      };
    },
    build: ({ user, team, run }, seen) => {
      if (user !== undefined) return fromRecord(user, userResource);
      if (run !== undefined) return fromRecord(run, runResource);
      return fromRecord(team && seesTeam(seen, team) ? team : undefined, teamResource);
    },
  }),
  effective_tag_bindings: inclusion({
    build: (_, { workspace, organization, project, caller }) => {
      const { id, tags } = workspace;
      if (!effectiveRights(caller, organization, project, workspace).settings) return { resources: [] };
      const bindings = effectiveBindings(tags, project);
      return related(
        'effective-tag-bindings',
        `${BASE_PATH}/workspaces/${id}/effective-tag-bindings`,
        bindings.map((binding) => effectiveBindingResource(organization, id, binding)),
      );
    },
  }),
  vars: inclusion({
    build: async (_, { workspace, organization, project, caller }, { store, budget }) => {
      const rights = effectiveRights(caller, organization, project, workspace);
      if (!atLeast(rights, 'variables', 'read')) return { resources: [] };
      const variables = workspace.hasVariables
        ? await store.variables.list(workspace.id, undefined, budget.takeVariable)
        : [];
      const link = `${BASE_PATH}/workspaces/${workspace.id}/vars`;
      return related(
        'vars',
        link,
        variables.map((variable) => variableResource(variable, workspace)),
      );
    },
  }),
  // There are no assessment results.
  current_assessment_result: inclusion({ build: () => ({ resources: [] }) }),
  ...runInclusions,
  ...stateInclusions,
};

/** Reads records, eventually consistent; records that are missing are read again with strong consistency. */
const findNeeded = async ({ records }: Presenting['store'], needed: readonly RecordReference[]): Promise<Found> => {
  const found = await records.find(needed);
  const missing = needed.filter(({ kind, id }) => found(kind, id) === undefined);
  if (missing.length === 0) return found;
  const late = await records.find(missing, true);
  return (kind, id) => found(kind, id) ?? late(kind, id);
};

/** Builds the document of several workspaces, in their order, without pagination. */
const presentWorkspaces = async (
  presenting: Presenting,
  all: readonly Seen[],
  { include, url }: IncludeRequest = { include: new Set(), url: '' },
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const requested = all.map((seen) => [...include].map((name) => inclusions[name](seen)));
  const needed = requested.flat().flatMap((one) => one.needed);
  const [found, resources] = await Promise.all([
    findNeeded(presenting.store, needed),
    Promise.all(all.map((seen) => present(presenting, seen))),
  ]);
  if (include.size === 0) return { data: resources };
  const included = new Map<string, Resource>();
  const including = { ...presenting, budget: createResponseSizeBudget(), origin: new URL(url).origin };
  const additions = await Promise.all(
    requested.map((ofWorkspace) => Promise.all(ofWorkspace.map(({ build }) => build(found, including)))),
  );
  const data = resources.map((resource, index) => {
    const parts = additions[index] ?? [];
    for (const part of parts.flatMap((it) => it.resources)) included.set(`${part.type} ${part.id}`, part);
    const relationships = Object.assign({ ...resource.relationships }, ...parts.map((it) => it.relationships));
    return { ...resource, relationships };
  });
  return { data, included: [...included.values()] };
};

/** Builds the document of a page of one organization's workspaces, without pagination. */
export const presentPage = async (
  presenting: Presenting,
  listIndex: ListIndex,
  { caller, organization }: Pick<Seen, 'caller' | 'organization'>,
  workspaces: readonly Workspace[],
  requested: IncludeRequest,
) => {
  const all = await Promise.all(
    workspaces.map(async (workspace): Promise<Seen> => {
      // A project that is newer than the index is read. Every workspace has one.
      const { store } = presenting;
      const project = listIndex.project(workspace.project) ?? (await store.projects.find(workspace.project, true));
      if (project === undefined) throw unavailable('A project is being deleted. Try again shortly.');
      return { workspace, organization, project, caller };
    }),
  );
  return presentWorkspaces(presenting, all, requested);
};

/**
 * Builds the document of one workspace.
 * @param requested names to include, and the URL of the request; nothing is included by default.
 */
export const presentWorkspace = async (
  presenting: Presenting,
  seen: Seen,
  requested?: IncludeRequest,
): Promise<Document> => {
  const { data, ...rest } = await presentWorkspaces(presenting, [seen], requested);
  return { data: data[0] as Resource, ...rest };
};

const present = async ({ store, features }: Presenting, { workspace, organization, project, caller }: Seen) =>
  workspaceResource({
    workspace,
    organization,
    project,
    rights: effectiveRights(caller, organization, project, workspace),
    releases: await store.releases.find(workspace.settings.infraVersion),
    features,
  });
