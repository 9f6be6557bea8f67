import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import { belongsTo } from '../../shared/access/rights.ts';
import type { StateVersion } from '../../shared/domain/state-versions/state-version.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { now } from '../../shared/lib/clock.ts';
import {
  stateOutputResource,
  stateVersionResource,
  type UploadUrls,
} from '../../shared/resources/state-versions/response.ts';
import { teamResource } from '../../shared/resources/teams/response.ts';
import { userResource } from '../../shared/resources/users/response.ts';
import type { StateVersionInclude } from '../../shared/routes/state-versions.ts';
import type { RecordReference } from '../../shared/store/directory/directory-reader.ts';
import type { StateDependencies } from './dependencies.ts';

/** Returns the origin of the service from the URL of a request. */
export const originOf = (url: string): string => new URL(url).origin;

const creatorOf = ({ createdBy: { kind, id } }: StateVersion): RecordReference | undefined =>
  kind === 'user' || kind === 'team' ? { kind, id } : undefined;

/** Builds the document of a state version, with the included resources. */
export const presentStateVersion = async (
  { store }: Pick<StateDependencies, 'store'>,
  { caller, organization }: Pick<WorkspaceAccess, 'caller' | 'organization'>,
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
  const [found, outputs] = await Promise.all([
    store.findRecords(creator ? [creator] : []),
    include.has('outputs') ? store.readStateOutputs(version) : undefined,
  ]);
  const [user, team] = [creator && found('user', creator.id), creator && found('team', creator.id)];
  const outputResources = outputs?.map((output, index) => stateOutputResource(version.id, output, index));
  const included: Resource[] = [
    ...(user ? [userResource(user)] : []),
    ...(team && seesTeam({ caller, organization }, team) ? [teamResource(team)] : []),
    ...(outputResources ?? []),
  ];
  const related = outputResources && {
    outputs: { ...resource.relationships?.['outputs'], data: outputResources.map(({ type, id }) => ({ type, id })) },
  };
  return { data: { ...resource, relationships: { ...resource.relationships, ...related } }, included };
};
