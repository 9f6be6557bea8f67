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
import type { Found, RecordReference } from '../store/directory/directory-reader.ts';
import { runInclusions } from './include-runs.ts';
import { stateInclusions } from './include-state.ts';
import {
  type IncludeRequest,
  type Inclusion,
  isMember,
  mayReadRuns,
  of,
  type Presenting,
  related,
  type Seen,
} from './inclusion.ts';
import { createResponseSizeBudget } from './response-size-budget.ts';

/** Builds the documents of workspaces (WS-6), with the resources that a request includes (HTTP-29). */

/** Inclusion that never adds a resource. */
const nothing: Inclusion = { of: () => ({ resources: [] }) };

const holderKinds = { User: 'user', Team: 'team', Run: 'run' } as const;

/** Returns the reference of the user, team or run that holds the lock. */
const holderOf = ({ workspace: { id: workspace, lock } }: Seen): RecordReference | undefined =>
  lock && { kind: holderKinds[lock.kind], id: lock.by, workspace };

const poolOf = ({ workspace, organization, project }: Seen): RecordReference | undefined => {
  const { agentPool } = effectiveExecution(workspace, inheritedExecution(organization, project));
  return agentPool === null ? undefined : { kind: 'agentPool', id: agentPool };
};

const inclusions: Readonly<Record<WorkspaceInclude, Inclusion>> = {
  organization: {
    of: (seen, _, { features }) => of(isMember(seen) ? { ...seen, features } : undefined, organizationResource),
  },
  project: {
    // Callers who may read the workspace only cannot see its project.
    needs: ({ workspace: { project: id }, organization, project, caller }) =>
      canRead(effectiveRights(caller, organization, project)) ? { kind: 'project', id } : undefined,
    of: ({ workspace: { project: id }, organization, caller }, found) =>
      of(found('project', id), (project) =>
        projectResource({ project, organization, rights: effectiveRights(caller, organization, project) }),
      ),
  },
  agent_pool: {
    needs: (seen) => (isMember(seen) ? poolOf(seen) : undefined),
    of: (seen, found) => of(found('agentPool', poolOf(seen)?.id ?? ''), agentPoolResource),
  },
  locked_by: {
    needs: holderOf,
    of: (seen, found) => {
      const { kind, id } = holderOf(seen) ?? { kind: undefined, id: '' };
      if (kind === 'run') return of(mayReadRuns(seen) ? found(kind, id) : undefined, runResource);
      if (kind !== 'team') return of(isMember(seen) ? found('user', id) : undefined, userResource);
      const team = found(kind, id);
      return of(team && seesTeam(seen, team) ? team : undefined, teamResource);
    },
  },
  effective_tag_bindings: {
    of: ({ workspace, organization, project, caller }) => {
      const { id, tags } = workspace;
      if (!effectiveRights(caller, organization, project, workspace).settings) return { resources: [] };
      const bindings = effectiveBindings(tags, project);
      return related(
        'effective-tag-bindings',
        `${BASE_PATH}/workspaces/${id}/effective-tag-bindings`,
        bindings.map((binding) => effectiveBindingResource(organization, id, binding)),
      );
    },
  },
  vars: {
    of: async ({ workspace, organization, project, caller }, _, { store, budget }) => {
      const rights = effectiveRights(caller, organization, project, workspace);
      if (!atLeast(rights, 'variables', 'read')) return { resources: [] };
      const variables = workspace.hasVariables
        ? await store.listVariables(workspace.id, undefined, budget.takeVariable)
        : [];
      const link = `${BASE_PATH}/workspaces/${workspace.id}/vars`;
      return related(
        'vars',
        link,
        variables.map((variable) => variableResource(variable, workspace)),
      );
    },
  },
  current_assessment_result: nothing,
  ...runInclusions,
  ...stateInclusions,
};

/** Reads records, eventually consistent; records that are missing are read again with strong consistency. */
const findNeeded = async ({ findRecords }: Presenting['store'], needed: readonly RecordReference[]): Promise<Found> => {
  const found = await findRecords(needed);
  const missing = needed.filter(({ kind, id }) => found(kind, id) === undefined);
  if (missing.length === 0) return found;
  const late = await findRecords(missing, true);
  return (kind, id) => found(kind, id) ?? late(kind, id);
};

/** Builds the document of several workspaces, in their order, without pagination. */
const presentWorkspaces = async (
  presenting: Presenting,
  all: readonly Seen[],
  { include, url }: IncludeRequest = { include: new Set(), url: '' },
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const requested = [...include].map((name) => inclusions[name]);
  const needed = all.flatMap((seen) => requested.flatMap(({ needs }) => needs?.(seen) ?? []));
  const [found, resources] = await Promise.all([
    findNeeded(presenting.store, needed),
    Promise.all(all.map((seen) => present(presenting, seen))),
  ]);
  if (include.size === 0) return { data: resources };
  const included = new Map<string, Resource>();
  const including = { ...presenting, budget: createResponseSizeBudget(), origin: new URL(url).origin };
  const additions = await Promise.all(
    all.map((seen) => Promise.all(requested.map(({ of }) => of(seen, found, including)))),
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
      const project = listIndex.project(workspace.project) ?? (await store.findProject(workspace.project, true));
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
    releases: await store.findReleases(workspace.settings.infraVersion, true),
    features,
  });
