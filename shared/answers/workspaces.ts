import { seesTeam } from '../access/decide-organization.ts';
import { atLeast, belongsTo, canRead, effectiveRights } from '../access/rights.ts';
import { now } from '../clock.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Caller, Organization, Project } from '../domain/directory.ts';
import { DomainError, unavailable } from '../domain/errors.ts';
import type { Run } from '../domain/runs.ts';
import type { StateVersion } from '../domain/state-versions.ts';
import { effectiveBindings } from '../domain/tags.ts';
import { effectiveExecution, inheritedExecution, type Workspace } from '../domain/workspace.ts';
import { agentPoolResource } from '../jsonapi/agent-pool.ts';
import { readmeResource } from '../jsonapi/configuration-version.ts';
import type { Document, Relationship, Resource } from '../jsonapi/document.ts';
import { organizationResource } from '../jsonapi/organization.ts';
import { projectResource } from '../jsonapi/project.ts';
import { applyResource, planResource, runResource } from '../jsonapi/run.ts';
import { stateVersionResource, workspaceOutputResource } from '../jsonapi/state-version.ts';
import { effectiveBindingResource } from '../jsonapi/tags.ts';
import { teamResource } from '../jsonapi/team.ts';
import { userResource } from '../jsonapi/user.ts';
import { variableResource } from '../jsonapi/variable.ts';
import { workspaceResource } from '../jsonapi/workspace.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import type { Services } from '../services.ts';
import type { Found, RecordReference } from '../store/directory.ts';
import { versionResources } from './configuration-versions.ts';
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

/** What a request asks to be included, and the URL that it came by. */
export interface Asked {
  readonly include: ReadonlySet<WorkspaceInclude>;
  readonly url: string;
}

/** What inclusions are made with: one for all of an answer. */
interface Including extends Presenting {
  readonly room: Room;
  /** Of the service, without a path. */
  readonly origin: string;
}

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
  readonly needs?: (seen: Seen) => RecordReference | readonly RecordReference[] | undefined;
  readonly of: (seen: Seen, found: Found, including: Including) => Included | Promise<Included>;
}

/** There is nothing of it. */
const nothing: Inclusion = { of: () => ({ resources: [] }) };

const holderKinds = { User: 'user', Team: 'team', Run: 'run' } as const;

/** The user, team or run that holds the lock. */
const holderOf = ({ workspace: { id: workspace, lock } }: Seen): RecordReference | undefined =>
  lock && { kind: holderKinds[lock.kind], id: lock.by, workspace };

/** The newest run, and what of it is asked for: whatever that is, the way to it is included as well. */
const ofRun = (part: (run: Run) => readonly Resource[] = () => []): Inclusion => ({
  needs: (seen) => (mayReadRuns(seen) ? runOf(seen) : undefined),
  of: (seen, found) => {
    const run = found('run', runOf(seen)?.id ?? '');
    return { resources: run === undefined ? [] : [runResource(run), ...part(run)] };
  },
});
const runOf = ({ workspace: { id: workspace, run } }: Seen): RecordReference | undefined =>
  run && { kind: 'run', id: run.id, workspace };

/** That of the newest run: its id lies on the workspace, so that it need not wait for the run. */
const ofRunVersion = (withIngress: boolean): Inclusion => ({
  needs: (seen) => {
    const { id: workspace, run } = seen.workspace;
    if (run === undefined || !mayReadRuns(seen)) return undefined;
    const { id, configurationVersion: version } = run;
    const own = { kind: 'run', id, workspace } as const;
    return version === null ? own : [own, { kind: 'configurationVersion', id: version, workspace }];
  },
  of: (seen, found) => {
    const run = found('run', runOf(seen)?.id ?? '');
    if (run === undefined) return { resources: [] };
    const version = found('configurationVersion', run.description.configurationVersion ?? '');
    return { resources: [runResource(run), ...versionResources(version, withIngress)] };
  },
});

const ofCurrentVersion = (withIngress: boolean): Inclusion => {
  const current = ({ workspace: { id: workspace, configurationVersion } }: Seen): RecordReference | undefined =>
    configurationVersion && { kind: 'configurationVersion', id: configurationVersion.id, workspace };
  return {
    needs: (seen) => (mayReadRuns(seen) ? current(seen) : undefined),
    of: (seen, found) => {
      const version = found('configurationVersion', current(seen)?.id ?? '');
      return { resources: versionResources(version, withIngress) };
    },
  };
};

const mayReadRuns = ({ caller, organization, project, workspace }: Seen): boolean =>
  atLeast(effectiveRights(caller, organization, project, workspace), 'runs', 'read');

const mayReadState = ({ caller, organization, project, workspace }: Seen, level: 'read' | 'read-outputs'): boolean =>
  atLeast(effectiveRights(caller, organization, project, workspace), 'stateVersions', level);

const stateOf = ({ workspace: { id: workspace, current } }: Seen) =>
  current === null ? undefined : ({ kind: 'stateVersion', id: current.id, workspace, at: current.at } as const);

/** The current state version, which has been read: one that seems not to have been is too old. */
const readState = async (seen: Seen, found: Found, store: Presenting['store']): Promise<StateVersion | undefined> => {
  const place = stateOf(seen);
  const version = place && found('stateVersion', place.id);
  return place && version?.content === undefined ? store.readStateVersion(place) : version;
};

const tooManyOutputs = () =>
  new DomainError(
    'unprocessable',
    'The outputs of a workspace are larger than 5 MB. Download its state to read them.',
    {
      source: { parameter: 'include' },
    },
  );

const plan = ofRun((run) => [planResource(run)]);
const apply = ofRun((run) => [applyResource(run)]);

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
      if (kind === 'run') return of(mayReadRuns(seen) ? found(kind, id) : undefined, runResource);
      if (kind !== 'team') return of(isMember(seen) ? found('user', id) : undefined, userResource);
      const team = found(kind, id);
      return of(team && seesTeam(seen, team) ? team : undefined, teamResource);
    },
  },
  outputs: {
    needs: (seen) => (mayReadState(seen, 'read-outputs') ? stateOf(seen) : undefined),
    of: async (seen, found, { store, room }) => {
      if (!mayReadState(seen, 'read-outputs')) return { resources: [] };
      const outputs = await room.inTurn(async () => {
        const version = await readState(seen, found, store);
        if (version?.content === undefined) return [];
        if (version.content.outputs.count === -1) throw tooManyOutputs();
        const all = await store.readStateOutputs(version);
        for (const { value } of all) room.take(JSON.stringify(value ?? null).length);
        return all.map((output, position) => workspaceOutputResource(version.id, output, position));
      });
      return related('outputs', `/api/v2/workspaces/${seen.workspace.id}/current-state-version-outputs`, outputs);
    },
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
    of: async ({ workspace, organization, project, caller }, _, { store, room }) => {
      const rights = effectiveRights(caller, organization, project, workspace);
      if (!atLeast(rights, 'variables', 'read')) return { resources: [] };
      const variables = workspace.hasVariables
        ? await store.listVariables(workspace.id, undefined, room.takeVariable)
        : [];
      const link = `/api/v2/workspaces/${workspace.id}/vars`;
      return related(
        'vars',
        link,
        variables.map((variable) => variableResource(variable, workspace)),
      );
    },
  },
  current_assessment_result: nothing,
  current_configuration_version: ofCurrentVersion(false),
  'current_configuration_version.ingress_attributes': ofCurrentVersion(true),
  current_run: ofRun(),
  'current_run.apply': apply,
  'current_run.configuration_version': ofRunVersion(false),
  'current_run.configuration_version.ingress_attributes': ofRunVersion(true),
  'current_run.plan': plan,
  current_state_version: {
    needs: (seen) => (mayReadState(seen, 'read') ? stateOf(seen) : undefined),
    of: async (seen, found, { store, origin }) => {
      const version = mayReadState(seen, 'read') ? await readState(seen, found, store) : undefined;
      return of(version, (it) => stateVersionResource({ version: it, origin, now: now() }));
    },
  },
  // The same, as it was called before.
  latest_run: ofRun(),
  'latest_run.apply': apply,
  'latest_run.configuration_version': ofRunVersion(false),
  'latest_run.configuration_version.ingress_attributes': ofRunVersion(true),
  'latest_run.plan': plan,
  readme: {
    needs: ({ workspace: { id: workspace, readme } }) =>
      readme && { kind: 'readme', id: readme.configurationVersion, workspace },
    of: ({ workspace: { readme } }, found) => of(found('readme', readme?.configurationVersion ?? ''), readmeResource),
  },
};

/** The document of several workspaces, in their order, without what their list adds. */
const presentWorkspaces = async (
  presenting: Presenting,
  all: readonly Seen[],
  { include, url }: Asked = { include: new Set(), url: '' },
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const asked = [...include].map((name) => inclusions[name]);
  const needed = all.flatMap((seen) => asked.flatMap(({ needs }) => needs?.(seen) ?? []));
  const [found, resources] = await Promise.all([
    presenting.store.findRecords(needed),
    Promise.all(all.map((seen) => present(presenting, seen))),
  ]);
  if (include.size === 0) return { data: resources };
  const included = new Map<string, Resource>();
  const including = { ...presenting, room: answerRoom(), origin: new URL(url).origin };
  const additions = await Promise.all(
    all.map((seen) => Promise.all(asked.map(({ of }) => of(seen, found, including)))),
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
  asked: Asked,
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
  return presentWorkspaces(presenting, all, asked);
};

/** The document of one workspace. */
export const presentWorkspace = async (presenting: Presenting, seen: Seen, asked?: Asked): Promise<Document> => {
  const { data, ...rest } = await presentWorkspaces(presenting, [seen], asked);
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
