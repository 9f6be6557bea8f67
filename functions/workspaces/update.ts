import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import { previewChange } from '../../shared/documents/preview-change.ts';
import { presentWorkspace } from '../../shared/documents/workspace-documents.ts';
import { losesPool, POOL_OUT_OF_SCOPE } from '../../shared/domain/directory/agent-pools.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import { invalidRelationship } from '../../shared/domain/errors.ts';
import { withoutOverrides } from '../../shared/domain/tags/reserved-tag-keys.ts';
import { beingMoved, MovedMeanwhile, whileNamed } from '../../shared/domain/transitions/transition.ts';
import { whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import { update } from '../../shared/domain/transitions/workspaces/update-workspace.ts';
import { inactivityFromProject } from '../../shared/domain/workspace/auto-destroy.ts';
import { CONNECTION_OUT_OF_SCOPE, losesConnection } from '../../shared/domain/workspace/connection-scope.ts';
import {
  inheritedExecution,
  inheritedProtection,
  isProtected,
} from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import { nameIn, requireMatchingId, workspaceTarget } from '../../shared/http/workspace-target.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { now } from '../../shared/lib/clock.ts';
import { retry } from '../../shared/lib/retry.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import { readBindings } from '../../shared/resources/tags/request-mapping.ts';
import { configurationRequest } from '../../shared/resources/workspaces/request-mapping.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { projectUnknown } from './create.ts';
import { loadPatternChecks, referenceIdsOf, touchesExecution } from './references.ts';

type UpdateRequest = OperationRequest<'workspaces.update' | 'workspaces.update-by-name'>;
type UpdateDependencies = Dependencies & { globalRemoteState: boolean };

/** Number of attempts to update a workspace that is moved to another project at the same time. */
const ATTEMPTS = 3;

/**
 * `PATCH /workspaces/:workspace_id` and by name (WS-22, WS-26). Changing settings needs admin access; moving to
 * another project needs admin on both (WS-27).
 */
export const updateWorkspace = (request: UpdateRequest, dependencies: UpdateDependencies): Promise<Document> =>
  retry(() => updateOnce(dependencies, request), {
    attempts: ATTEMPTS,
    retryOn: (error) => error instanceof MovedMeanwhile,
    exhausted: beingMoved,
  });

const updateOnce = async (
  dependencies: UpdateDependencies,
  { id, contextFor, digest, parameters, body: { data }, isDryRun }: UpdateRequest,
): Promise<Document> => {
  const { store, features, globalRemoteState } = dependencies;
  const configuration = configurationRequest(data.attributes ?? {});
  const projectId = data.relationships?.project?.data?.id || undefined;
  // Flat tags have endpoints of their own: an update replaces bindings only (WS-24).
  const given = data.relationships?.['tag-bindings']?.data ?? undefined;
  const bindings = given && readBindings(given, '/data/relationships/tag-bindings/data');
  const path = workspaceTarget(parameters);
  const references = store.records.findReferences(referenceIdsOf(configuration, projectId));
  const patterns = startEarly(loadPatternChecks(configuration));
  const access = await authorizeWorkspace(store, digest, path, async (current, consistent) => {
    const moves = projectId !== undefined && projectId !== current.workspace.project;
    // A body that only moves changes no setting.
    if (!moves || Object.keys(configuration).length > 0) requirePermission(current, 'workspace.update');
    if (bindings !== undefined) requirePermission(current, 'tag.manage');
    if (!moves) return current.project;
    requirePermission(current, 'workspace.move');
    const target = consistent ? await store.projects.find(projectId, true) : (await references.found).project;
    const to = requireTarget(current, target);
    // A move that lifts the deletion protection needs the right to lift it (DEL-14).
    if (liftsProtection(current, to)) requirePermission(current, 'workspace.update');
    return to;
  });
  const { caller, organization, workspace: image, checked: project } = access;
  requireMatchingId(data.id, image.id);
  const { infraVersion = image.settings.infraVersion } = configuration;
  const request = contextFor(caller);
  const inherited = inheritedExecution(organization, project);
  const moves = project.id !== access.project.id;
  const touches = touchesExecution(configuration);
  const { agentPools: unnamedPools, vcsConnections } = await store.records.findScoped({
    agentPools: [moves || touches ? inherited.agentPool : null, moves ? image.settings.agentPool : null],
    vcsConnections: [moves ? (image.vcsRepo?.oauthTokenId ?? null) : null],
  });
  if (moves && !touches && losesPool(image, inherited, project.id, unnamedPools)) {
    throw invalidRelationship('project', POOL_OUT_OF_SCOPE);
  }
  if (moves && configuration.vcsRepo === undefined && losesConnection(image, project.id, vcsConnections)) {
    throw invalidRelationship('project', CONNECTION_OUT_OF_SCOPE);
  }
  const transition = update(
    request,
    {
      configuration,
      bindings,
      checkTags: (before, after) => {
        withoutOverrides(before, after, organization, project, '/data/relationships/tag-bindings');
        // In another project, the tags that the workspace keeps are new too.
        if (moves) withoutOverrides([], after, organization, project, '/data/relationships/project');
      },
      from: access.project.id,
      decided: image,
      to: project.id,
      protection: {
        from: inheritedProtection(organization, access.project),
        to: inheritedProtection(organization, project),
      },
    },
    {
      features,
      organization,
      identity: { id: image.id, project: project.id },
      inherited,
      unnamedPools,
      keptConnection: vcsConnections[0],
      inactivity: inactivityFromProject(project),
      releases: await store.releases.find(infraVersion),
      globalRemoteState,
      now: now(),
      patterns: await patterns,
      ...(await references.within(organization.name)),
    },
  );
  const restricted = whileNamed(nameIn(path), whileMatching(request, transition));
  if (isDryRun) return previewChange(dependencies, id, { access, to: project }, restricted);
  const workspace = await store.workspaces.apply(image, restricted, request);
  return presentWorkspace({ store, features }, { workspace, organization, project, caller });
};

/**
 * Requires that the caller may move a workspace to the project.
 * @throws DomainError 422 for a project that does not exist or that the caller cannot see; 403 without the permission.
 */
const requireTarget = ({ caller, organization }: WorkspaceAccess, project: Project | undefined): Project => {
  const isVisible =
    project?.organization === organization.name && canRead(effectiveRights(caller, organization, project));
  if (!isVisible) throw projectUnknown();
  requirePermission({ caller, organization, project }, 'workspace.move');
  return project;
};

/** Tells whether a move ends the deletion protection that the workspace inherits. */
const liftsProtection = ({ organization, project, workspace }: WorkspaceAccess, to: Project): boolean =>
  isProtected(workspace, inheritedProtection(organization, project)) &&
  !isProtected(workspace, inheritedProtection(organization, to));
