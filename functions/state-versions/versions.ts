import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import { belongsTo } from '../../shared/access/rights.ts';
import { rightsAllow, type WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import type { Bucket } from '../../shared/blob/bucket.ts';
import { versionResources } from '../../shared/documents/configuration-versions.ts';
import { DomainError, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Run } from '../../shared/domain/runs/run.ts';
import { outputIdStem } from '../../shared/domain/state-versions/state-outputs.ts';
import type { StateVersion } from '../../shared/domain/state-versions/state-version.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operations } from '../../shared/http/operation.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import { runResource } from '../../shared/resources/runs/response.ts';
import {
  stateOutputResource,
  stateVersionResource,
  type UploadUrls,
} from '../../shared/resources/state-versions/response.ts';
import { teamResource } from '../../shared/resources/teams/response.ts';
import { userResource } from '../../shared/resources/users/response.ts';
import type { StateVersionInclude } from '../../shared/routes/state-versions.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { type RecordReference, runReference } from '../../shared/store/directory/directory-reader.ts';
import type { StateVersionChanges } from '../../shared/store/state-versions/state-version-changes.ts';

/** Dependencies of the operations on state versions. */
export interface StateDependencies extends Dependencies {
  readonly bucket: Bucket;
  readonly changes: StateVersionChanges;
}

/**
 * Finds a state version by its id or by the id of one of its outputs, and authorizes the caller for `action` on its
 * workspace.
 * @throws DomainError 401, 404.
 */
export const findStateVersion = async (
  { store }: Pick<StateDependencies, 'store'>,
  digest: string,
  id: string,
  action: WorkspaceAction,
): Promise<{ readonly access: WorkspaceAccess; readonly version: StateVersion }> => {
  const isVersion = isId('stateVersion', id);
  const isNamed = (known: string) => (isVersion ? known === id : outputIdStem(known) === outputIdStem(id));
  const stored = isVersion || isId('stateOutput', id) ? store.stateVersions.findPlace(id) : Promise.resolve(undefined);
  const place = startEarly(stored.then((at) => (at && isNamed(at.id) ? at : undefined)));
  const read = startEarly(place.then(store.stateVersions.find));
  const access = await authorizeWorkspace(store, digest, { owner: () => place }, action);
  const version = await read;
  if (version === undefined) throw notFound();
  return { access, version };
};

/**
 * Finds the current state version of a workspace, and authorizes the caller for `action` on the workspace. The version is
 * undefined if the workspace has no state.
 * @throws DomainError 401, 404.
 */
export const findCurrent = async (
  { store }: Pick<StateDependencies, 'store'>,
  digest: string,
  id: string,
  action: WorkspaceAction,
): Promise<{ readonly access: WorkspaceAccess; readonly version: StateVersion | undefined }> => {
  const { results: version, ...access } = await authorizeWorkspace(
    store,
    digest,
    { id },
    action,
    ({ workspace }, known) => store.stateVersions.find(known?.current ? { ...known.current, workspace } : undefined),
  );
  return { access, version };
};

/** Returns the origin of the service from the URL of a request. */
const originOf = (url: string): string => new URL(url).origin;

const creatorOf = ({ createdBy: { kind, id } }: StateVersion): RecordReference | undefined =>
  kind === 'user' || kind === 'team' ? { kind, id } : undefined;

const runOf = ({ run: id }: StateVersion, workspace: Workspace): RecordReference | undefined =>
  id === null ? undefined : runReference(workspace, id);

/** Returns whether a request includes the run, or a part of it, which includes the run as well (HTTP-31). */
const includesRun = (include: ReadonlySet<StateVersionInclude>): boolean =>
  [...include].some((name) => name === 'run' || name.startsWith('run.'));

/** Builds the resources of a run and, if requested, of its configuration version. */
const runAndVersion = async (
  { records }: Pick<StateDependencies['store'], 'records'>,
  run: Run | undefined,
  include: ReadonlySet<StateVersionInclude>,
): Promise<readonly Resource[]> => {
  if (run === undefined) return [];
  const id = include.has('run.configuration_version') ? run.description.configurationVersion : null;
  if (id === null) return [runResource(run)];
  const found = await records.find([{ kind: 'configurationVersion', id, workspace: run.workspace }]);
  return [runResource(run), ...versionResources(found('configurationVersion', id), false)];
};

/** Builds the document of a state version, with the included resources. */
export const presentStateVersion = async (
  { store }: Pick<StateDependencies, 'store'>,
  { caller, organization, rights, workspace }: Omit<WorkspaceAccess, 'project'>,
  version: StateVersion,
  url: string,
  include: ReadonlySet<StateVersionInclude> = new Set(),
  uploads?: UploadUrls,
): Promise<Document> => {
  const resource = stateVersionResource({ version, origin: originOf(url), now: now(), uploads });
  if (include.size === 0) return { data: resource };

  // Users are included only for members of the organization.
  const includesCreator = include.has('created_by') && belongsTo(caller, organization);
  const creator = includesCreator ? creatorOf(version) : undefined;
  const run =
    includesRun(include) && rightsAllow(rights, organization, 'run.read') ? runOf(version, workspace) : undefined;
  const [found, outputs] = await Promise.all([
    store.records.find([creator, run].filter((reference) => reference !== undefined)),
    include.has('outputs') && version.backingData === undefined ? store.stateVersions.readOutputs(version) : undefined,
  ]);
  const runResources = run ? await runAndVersion(store, found('run', run.id), include) : [];
  const [user, team] = [creator && found('user', creator.id), creator && found('team', creator.id)];
  const outputResources = outputs?.map((output, index) => stateOutputResource(version.id, output, index));
  const included: Resource[] = [
    ...(user ? [userResource(user)] : []),
    ...(team && seesTeam({ caller, organization }, team) ? [teamResource(team)] : []),
    ...(outputResources ?? []),
    ...runResources,
  ];
  const related = outputResources && {
    outputs: { ...resource.relationships?.['outputs'], data: outputResources.map(({ type, id }) => ({ type, id })) },
  };
  return { data: { ...resource, relationships: { ...resource.relationships, ...related } }, included };
};

/** Reads the filters. @throws DomainError 400 if one is missing. */
const targetOf = (query: URLSearchParams): { organization: string; name: string } => {
  const required = (parameter: string): string => {
    const value = query.get(parameter);
    if (value) return value;
    throw new DomainError('bad-request', `${parameter} is missing`, { source: { parameter } });
  };
  return { organization: required('filter[organization][name]'), name: required('filter[workspace][name]') };
};

export const versionOperations = {
  /** `GET /state-versions` (STATE-12): the state versions of one workspace, newest first. */
  'state-versions.list': async ({ digest, query, url }, { store }) => {
    const page = readPage(query);
    const source = query.get('filter[imported-from][id]') || undefined;
    const list = async (workspace: string) => {
      if (source === undefined) return { versions: await store.stateVersions.list(workspace, rangeOf(page)) };
      const imported = await store.stateVersions.listImported(workspace, source);
      return { versions: slice(imported, page), total: imported.length };
    };
    const { workspace, results } = await authorizeWorkspace(
      store,
      digest,
      targetOf(query),
      'state-version.read',
      (ids) => list(ids.workspace),
    );
    const [origin, at] = [originOf(url), now()];
    return {
      data: results.versions.map((version) => stateVersionResource({ version, origin, now: at })),
      ...paginate(page, results.total ?? workspace.stateVersions ?? 0, url, query),
    };
  },

  /** `GET /state-versions/:state_version_id` (STATE-12). */
  'state-versions.show': async ({ digest, parameters: { state_version_id: id }, include, url }, dependencies) => {
    const { access, version } = await findStateVersion(dependencies, digest, id, 'state-version.read');
    return presentStateVersion(dependencies, access, version, url, include);
  },

  /** `GET /workspaces/:workspace_id/current-state-version` (STATE-11): intermediate versions are never current. */
  'state-versions.current': async ({ digest, parameters: { workspace_id: id }, include, url }, dependencies) => {
    const { access, version } = await findCurrent(dependencies, digest, id, 'state-version.read');
    if (version === undefined) throw notFound('The workspace has no state.');
    return presentStateVersion(dependencies, access, version, url, include);
  },
} satisfies Partial<Operations<'state-versions', StateDependencies>>;
