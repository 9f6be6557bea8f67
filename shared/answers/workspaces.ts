import { seesTeam } from '../access/decide-organization.ts';
import { atLeast, belongsTo, canRead, effectiveRights } from '../access/rights.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Caller, Organization, Project } from '../domain/directory.ts';
import { unavailable } from '../domain/errors.ts';
import { effectiveBindings } from '../domain/tags.ts';
import { effectiveExecution, inheritedExecution, type Workspace } from '../domain/workspace.ts';
import { agentPoolResource } from '../jsonapi/agent-pool.ts';
import type { Document, Relationship, Resource } from '../jsonapi/document.ts';
import { organizationResource } from '../jsonapi/organization.ts';
import { projectResource } from '../jsonapi/project.ts';
import { effectiveBindingResource } from '../jsonapi/tags.ts';
import { teamResource } from '../jsonapi/team.ts';
import { userResource } from '../jsonapi/user.ts';
import { variableResource } from '../jsonapi/variable.ts';
import { workspaceResource } from '../jsonapi/workspace.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import type { Services } from '../services.ts';
import type { Found, RecordReference } from '../store/directory.ts';
import { answerRoom } from './room.ts';

/**
 * Workspaces as answers hold them: the complete record, the same everywhere, and what a request asks to be included
 * (spec 2.3, contract 1.6).
 */

/** A workspace, who looks at it, and what that looks at it through. */
export interface Seen {
  readonly workspace: Workspace;
  readonly organization: Organization;
  /** What it passes on, and to whom it grants. */
  readonly project: Pick<Project, 'id' | 'access' | 'bindings' | 'defaultExecutionMode' | 'defaultAgentPool'>;
  readonly caller: Caller;
}

type Presenting = Pick<Services, 'store' | 'features'>;

/** Of what is read for an inclusion, all that one answer can hold. */
type Room = ReturnType<typeof answerRoom>;

/** What one inclusion adds to the answer for one workspace. */
interface Included {
  readonly resources: readonly Resource[];
  /** Relationships that are complete only where they are included. */
  readonly relationships?: Readonly<Record<string, Relationship>>;
}

interface Inclusion {
  /** A record that it takes beside what showing the workspace has brought. */
  readonly needs?: (seen: Seen) => RecordReference | undefined;
  readonly of: (seen: Seen, found: Found, presenting: Presenting, room: Room) => Included | Promise<Included>;
}

/** There is nothing of it: no run has been, no state has come, no configuration. */
const nothing: Inclusion = { of: () => ({ resources: [] }) };

/** The user or team that holds the lock. */
const holderOf = ({ workspace: { lock } }: Seen): RecordReference | undefined => {
  if (lock?.kind === 'User') return { kind: 'user', id: lock.by };
  return lock?.kind === 'Team' ? { kind: 'team', id: lock.by } : undefined;
};

const poolOf = ({ workspace, organization, project }: Seen): RecordReference | undefined => {
  const { agentPool } = effectiveExecution(workspace, inheritedExecution(organization, project));
  return agentPool === null ? undefined : { kind: 'agentPool', id: agentPool };
};

/** A run sees what is of workspaces, and nothing of the organization around them. */
const isMember = ({ caller, organization }: Seen): boolean => belongsTo(caller, organization);

/** A resource of a record, where it is there. */
const of = <R>(record: R | undefined, resource: (record: R) => Resource): Included => ({
  resources: record === undefined ? [] : [resource(record)],
});

/** Resources and the relationship to them, which is a link alone where they are not included. */
const related = (name: string, link: string, resources: readonly Resource[]): Included => ({
  resources,
  relationships: { [name]: { data: resources.map(({ type, id }) => ({ type, id })), links: { related: link } } },
});

const inclusions: Readonly<Record<WorkspaceInclude, Inclusion>> = {
  organization: {
    of: (seen, _, { features }) => of(isMember(seen) ? { ...seen, features } : undefined, organizationResource),
  },
  project: {
    // Who may read the workspace alone does not see its project.
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
      if (kind !== 'team') return of(isMember(seen) ? found('user', id) : undefined, userResource);
      const team = found(kind, id);
      return of(team && seesTeam(seen, team) ? team : undefined, teamResource);
    },
  },
  outputs: {
    of: ({ workspace: { id } }) => related('outputs', `/api/v2/workspaces/${id}/current-state-version-outputs`, []),
  },
  effective_tag_bindings: {
    of: ({ workspace: { id, tags }, organization, project }) =>
      related(
        'effective-tag-bindings',
        `/api/v2/workspaces/${id}/effective-tag-bindings`,
        effectiveBindings(tags, project).map((binding) => effectiveBindingResource(organization, id, binding)),
      ),
  },
  vars: {
    of: async ({ workspace, organization, project, caller }, _, { store }, room) => {
      const rights = effectiveRights(caller, organization, project, workspace);
      if (!atLeast(rights, 'variables', 'read')) return { resources: [] };
      const variables = workspace.hasVariables ? await store.listVariables(workspace.id, undefined, room) : [];
      const link = `/api/v2/workspaces/${workspace.id}/vars`;
      return related(
        'vars',
        link,
        variables.map((variable) => variableResource(variable, workspace)),
      );
    },
  },
  current_assessment_result: nothing,
  current_configuration_version: nothing,
  'current_configuration_version.ingress_attributes': nothing,
  current_run: nothing,
  'current_run.apply': nothing,
  'current_run.configuration_version': nothing,
  'current_run.configuration_version.ingress_attributes': nothing,
  'current_run.plan': nothing,
  current_state_version: nothing,
  latest_run: nothing,
  'latest_run.apply': nothing,
  'latest_run.configuration_version': nothing,
  'latest_run.configuration_version.ingress_attributes': nothing,
  'latest_run.plan': nothing,
  readme: nothing,
};

/** The document of several workspaces, in their order, without what their list adds. */
const presentWorkspaces = async (
  presenting: Presenting,
  all: readonly Seen[],
  include: ReadonlySet<WorkspaceInclude> = new Set(),
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const asked = [...include].map((name) => inclusions[name]);
  const needed = all.flatMap((seen) => asked.flatMap(({ needs }) => needs?.(seen) ?? []));
  const [found, resources] = await Promise.all([
    presenting.store.findRecords(needed),
    Promise.all(all.map((seen) => present(presenting, seen))),
  ]);
  if (include.size === 0) return { data: resources };
  const included = new Map<string, Resource>();
  const room = answerRoom();
  const additions = await Promise.all(
    all.map((seen) => Promise.all(asked.map(({ of }) => of(seen, found, presenting, room)))),
  );
  const data = resources.map((resource, index) => {
    const parts = additions[index] ?? [];
    for (const part of parts.flatMap((it) => it.resources)) included.set(`${part.type} ${part.id}`, part);
    const relationships = Object.assign({ ...resource.relationships }, ...parts.map((it) => it.relationships));
    return { ...resource, relationships };
  });
  return { data, included: [...included.values()] };
};

/** The document of a page of one organization's workspaces, without what its list adds. */
export const presentPage = async (
  presenting: Presenting,
  catalogue: Catalogue,
  { caller, organization }: Pick<Seen, 'caller' | 'organization'>,
  workspaces: readonly Workspace[],
  include: ReadonlySet<WorkspaceInclude>,
) => {
  const all = await Promise.all(
    workspaces.map(async (workspace): Promise<Seen> => {
      // A project that is newer than the index is read; there is none without.
      const { store } = presenting;
      const project = catalogue.project(workspace.project) ?? (await store.findProject(workspace.project, true));
      if (project === undefined) throw unavailable('A project is being deleted. Try again shortly.');
      return { workspace, organization, project, caller };
    }),
  );
  return presentWorkspaces(presenting, all, include);
};

/** The document of one workspace. */
export const presentWorkspace = async (
  presenting: Presenting,
  seen: Seen,
  include?: ReadonlySet<WorkspaceInclude>,
): Promise<Document> => {
  const { data, ...rest } = await presentWorkspaces(presenting, [seen], include);
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
