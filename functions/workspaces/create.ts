import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import { presentWorkspace } from '../../shared/documents/workspace-documents.ts';
import type { Organization, Project } from '../../shared/domain/directory/records.ts';
import { invalidRelationship } from '../../shared/domain/errors.ts';
import { derivedId } from '../../shared/domain/ids.ts';
import { withoutOverrides } from '../../shared/domain/tags/reserved-tag-keys.ts';
import { addBindings, addTags, type Binding, checkCount, type Tags } from '../../shared/domain/tags/tag.ts';
import { requireNames, resolveTagNames, type TagReference } from '../../shared/domain/tags/tag-ids.ts';
import { newWorkspace } from '../../shared/domain/transitions/workspaces/create-workspace.ts';
import { inactivityFromProject } from '../../shared/domain/workspace/auto-destroy.ts';
import { configureNew } from '../../shared/domain/workspace/configuration/configure.ts';
import { inheritedExecution } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation, OperationRequest } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { newEventId } from '../../shared/lib/random.ts';
import { defaultSettings } from '../../shared/resources/attribute-table.ts';
import { readBindings, readTags } from '../../shared/resources/tags/request-mapping.ts';
import { attributes } from '../../shared/resources/workspaces/attributes.ts';
import { configurationRequest } from '../../shared/resources/workspaces/request-mapping.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import { loadPatternChecks, referenceIdsOf } from './references.ts';

/** The tags and bindings that a new workspace begins with. */
export interface InitialTags {
  readonly references: readonly TagReference[];
  readonly bindings: readonly Binding[];
}

type Relationships = OperationRequest<'workspaces.create'>['body']['data']['relationships'];

/** Reads the relationships `tags` and `tag-bindings` of a new workspace (WS-19). Null counts as empty. */
const readInitialTags = (relationships: Relationships): InitialTags => ({
  references: readTags(relationships?.tags?.data ?? [], '/data/relationships/tags/data'),
  bindings: readBindings(relationships?.['tag-bindings']?.data ?? [], '/data/relationships/tag-bindings/data'),
});

/**
 * Converts initial tags to the tags of a workspace. A tag that is named by its id exists on another workspace.
 * @throws DomainError 404 for an unknown id, 422 for too many tags or an override of a reserved key.
 */
const initialTags = async (
  { store }: ListDependencies,
  organization: Organization,
  project: Pick<Project, 'bindings'>,
  { references, bindings }: InitialTags,
  at: number,
): Promise<Tags> => {
  const hasIds = references.some((reference) => 'id' in reference);
  const known = hasIds ? (await store.listIndexes.open(organization)).tagUses().keys() : [];
  const names = requireNames(references, resolveTagNames(references, organization.externalId, known));
  const flat = withoutOverrides([], addTags([], names, at), organization, project, '/data/relationships/tags');
  const tags = addBindings(flat, bindings, at);
  checkCount('workspace', tags);
  return withoutOverrides(flat, tags, organization, project, '/data/relationships/tag-bindings');
};

/** Creates the 422 error of a project that does not exist, or that the caller cannot see. */
export const projectUnknown = () => invalidRelationship('project', 'Project does not exist');

/** @throws DomainError if the caller may not create a workspace in the project, or may not give it tags. */
const decideOnProject = (access: OrganizationAccess, isTagged: boolean): void => {
  const { caller, organization, project } = access;
  const rights = effectiveRights(caller, organization, project);
  if (project === undefined || (project.id !== organization.defaultProject && !canRead(rights))) throw projectUnknown();
  requirePermission(access, 'workspace.create');
  if (isTagged) requirePermission(access, 'tag.manage');
};

/** `POST /organizations/:organization_name/workspaces` (WS-17, WS-21). */
export const createWorkspace: Operation<
  'workspaces.create',
  ListDependencies & { globalRemoteState: boolean }
> = async ({ id, contextFor, digest, parameters, body }, dependencies) => {
  const { store, features, globalRemoteState } = dependencies;
  const wantedTags = readInitialTags(body.data.relationships);
  const isTagged = wantedTags.references.length + wantedTags.bindings.length > 0;
  const configuration = configurationRequest(body.data.attributes ?? {});
  const references = store.records.findReferences(referenceIdsOf(configuration));
  const [access, releases, patterns] = await Promise.all([
    authorizeOrganization(
      store,
      digest,
      {
        organization: parameters.organization_name,
        project: body.data.relationships?.project?.data?.id || null,
      },
      (current) => decideOnProject(current, isTagged),
    ),
    store.releases.find(configuration.infraVersion),
    loadPatternChecks(configuration),
  ]);
  const { caller, organization } = access;
  const project = access.project as Project;
  const at = now();
  const inherited = inheritedExecution(organization, project);
  // Always derived from the request, so that a repeated automation command does not create a second workspace.
  const identity = { id: derivedId('workspace', id), project: project.id };
  const configured = configureNew(defaultSettings(attributes), configuration, {
    features,
    organization,
    identity,
    inherited,
    unnamedPools: (await store.records.findScoped({ agentPools: [inherited.agentPool] })).agentPools,
    releases,
    globalRemoteState,
    now: at,
    patterns,
    ...(await references.within(organization.name)),
  });
  const inactivity = inactivityFromProject(project);
  const planned = newWorkspace(
    {
      ...identity,
      organization: organization.name,
      ...(inactivity && { projectInactivity: inactivity }),
    },
    { ...configured, tags: await initialTags(dependencies, organization, project, wantedTags, at) },
    contextFor(caller),
    newEventId(),
    at,
  );
  const workspace = await store.workspaces.create(planned, organization.shards);
  return presentWorkspace({ store, features }, { workspace, organization, project, caller });
};
