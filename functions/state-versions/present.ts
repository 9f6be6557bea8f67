import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import { belongsTo } from '../../shared/access/rights.ts';
import { rightsAllow } from '../../shared/access/workspace-policy.ts';
import { versionResources } from '../../shared/documents/configuration-versions.ts';
import type { Run } from '../../shared/domain/runs/run.ts';
import type { StateVersion } from '../../shared/domain/state-versions/state-version.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { now } from '../../shared/lib/clock.ts';
import { runResource } from '../../shared/resources/runs/response.ts';
import {
  stateOutputResource,
  stateVersionResource,
  type UploadUrls,
} from '../../shared/resources/state-versions/response.ts';
import { teamResource } from '../../shared/resources/teams/response.ts';
import { userResource } from '../../shared/resources/users/response.ts';
import type { StateVersionInclude } from '../../shared/routes/state-versions.ts';
import { type RecordReference, runReference } from '../../shared/store/directory/directory-reader.ts';
import type { StateDependencies } from './dependencies.ts';

/** Returns the origin of the service from the URL of a request. */
export const originOf = (url: string): string => new URL(url).origin;

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
