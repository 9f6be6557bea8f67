import {
  authorizeDeletedWorkspace,
  type DeletedWorkspaceAccess,
} from '../../shared/access/authorize/deleted-workspace.ts';
import { presentWorkspace } from '../../shared/documents/workspace-documents.ts';
import { type Revised, requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import { mayUsePool } from '../../shared/domain/directory/agent-pools.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { findOverrides } from '../../shared/domain/tags/reserved-tag-keys.ts';
import { bindingId } from '../../shared/domain/tags/tag-ids.ts';
import type { RequestContext, Transition } from '../../shared/domain/transitions/transition.ts';
import {
  findDropped,
  MOST_DROPPED_ACCESS,
  purge,
  type Restoration,
  restore,
} from '../../shared/domain/transitions/workspaces/restore-workspace.ts';
import { inactivityFromProject } from '../../shared/domain/workspace/auto-destroy.ts';
import { mayUseConnection } from '../../shared/domain/workspace/connection-scope.ts';
import { providerFromConnection, providerFromInstallation } from '../../shared/domain/workspace/vcs.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { now } from '../../shared/lib/clock.ts';
import { deletedWorkspaceResource } from '../../shared/resources/deleted-workspaces/response.ts';
import { dryRunResource } from '../../shared/resources/dry-runs/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { CheckForContent } from '../../shared/state-content/check-for-content.ts';
import type { RecordReference } from '../../shared/store/directory/directory-reader.ts';
import { removeAccessIds } from '../../shared/store/workspaces/remove-access-ids.ts';
import { previewTransition } from '../../shared/store/workspaces/workspace-store.ts';

/** Dependencies of a restoration. */
type RestoreDependencies = Dependencies & { readonly lookForContent: CheckForContent };

/** Reads what a deleted workspace refers to, with strong consistency, because some of it may have been deleted. */
const findRestoration = async (
  { store }: Pick<Dependencies, 'store'>,
  { id, access, settings, sshKey, tags, vcsRepo }: Workspace,
  { organization, project }: Pick<DeletedWorkspaceAccess, 'organization' | 'project'>,
  name: string | undefined,
): Promise<Restoration> => {
  const teams = Object.keys(access);
  const { agentPool: pool } = settings;
  const { oauthTokenId = null, appInstallationId = null } = vcsRepo ?? {};
  const references: RecordReference[] = teams.map((team) => ({ kind: 'team', id: team }));
  if (pool !== null) references.push({ kind: 'agentPool', id: pool });
  if (sshKey !== null) references.push({ kind: 'sshKey', id: sshKey });
  if (oauthTokenId !== null) references.push({ kind: 'vcsConnection', id: oauthTokenId });
  if (appInstallationId !== null) references.push({ kind: 'appInstallation', id: appInstallationId });
  const found = await store.records.find(references, true);
  const agentPool = pool === null ? undefined : found('agentPool', pool);
  const connection = oauthTokenId === null ? undefined : found('vcsConnection', oauthTokenId);
  const installation = appInstallationId === null ? undefined : found('appInstallation', appInstallationId);
  return {
    name,
    project: { id: project.id, inactivity: inactivityFromProject(project) },
    missingTeams: teams.filter((team) => found('team', team) === undefined),
    hasAgentPool: agentPool !== undefined && mayUsePool(agentPool, { id, project: project.id }),
    hasSshKey: sshKey !== null && found('sshKey', sshKey) !== undefined,
    overrides: findOverrides(tags, organization, project).map(({ key }) => ({
      id: bindingId(organization.externalId, id, key),
      key,
    })),
    provider:
      connection && mayUseConnection(connection, project.id)
        ? providerFromConnection(connection)
        : installation && providerFromInstallation(installation),
  };
};

/** Finalizes the pending state version of a restored workspace if its content has arrived meanwhile (DEL-22). */
const findContent = async (
  { store, lookForContent }: RestoreDependencies,
  restored: Workspace,
): Promise<Workspace | undefined> => {
  const { id: workspace, pending } = restored;
  if (pending === undefined) return restored;
  try {
    await lookForContent({ workspace, id: pending.id, createdAt: pending.at });
  } catch (error) {
    // The workspace is restored in any case. The next state version looks for the content again.
    if (!(error instanceof DomainError)) throw error;
  }
  return store.workspaces.find(workspace);
};

type PurgeRequest = OperationRequest<'deleted-workspaces.purge' | 'recoverable-items.permanently-delete'>;

/** `DELETE /deleted-workspaces/:workspace_id` and the action of recoverable items (DEL-20, DEL-23) */
const purgeWorkspace = async (
  { contextFor, digest, parameters: { workspace_id: id } }: PurgeRequest,
  { store }: RestoreDependencies,
): Promise<undefined> => {
  const { workspace, caller } = await authorizeDeletedWorkspace(store, digest, id, 'deleted-workspace.purge', now());
  const request = contextFor(caller);
  await store.workspaces.apply(workspace, purge(request, now()), request);
  return undefined;
};

/** Returns a deletion as a resource with a revision: a workspace that is deleted again has another one. */
const deletionOf = ({ id, sequence }: Workspace): Revised => ({ id, revision: sequence });

/** Restricts a restoration to the deletion that the request accepts (EDIT-3). */
const whileDeletedSo = ({ precondition }: RequestContext, transition: Transition): Transition => ({
  ...transition,
  plan: (image) => {
    if (image?.deletedAt !== undefined) requireMatch(precondition, deletionOf(image));
    return transition.plan(image);
  },
});

/** `POST /deleted-workspaces/:workspace_id/actions/restore` (DEL-18) */
const restoreWorkspace = async (
  {
    id: requestId,
    contextFor,
    digest,
    parameters: { workspace_id: id },
    body,
    isDryRun,
  }: OperationRequest<'deleted-workspaces.restore'>,
  dependencies: RestoreDependencies,
): Promise<Document> => {
  const { store, database, features } = dependencies;
  const at = now();
  const { workspace, caller, organization, project } = await authorizeDeletedWorkspace(
    store,
    digest,
    id,
    'deleted-workspace.restore',
    at,
  );
  requireSameId(body?.data?.id, id);
  const request = contextFor(caller);
  const name = body?.data?.attributes?.name ?? undefined;
  const restoration = await findRestoration({ store }, workspace, { organization, project }, name);
  const transition = whileDeletedSo(request, restore(request, restoration, at));
  if (isDryRun) {
    const after = await previewTransition(store.workspaces, workspace, transition);
    const dropped = findDropped(workspace, restoration, at);
    const changes = {
      ...(after.name !== workspace.name && { name: { old: workspace.name, new: after.name } }),
      ...(dropped.length > 0 && { dropped: { old: dropped, new: [] } }),
    };
    return { data: dryRunResource(requestId, { outcome: 'changed', changes, revised: deletionOf(workspace) }) };
  }
  // They lead nowhere: their teams are deleted. If the restoration fails after this, the next one or the cleanup repeats it.
  await removeAccessIds(database, now, id, restoration.missingTeams.slice(MOST_DROPPED_ACCESS));
  const restored = await store.workspaces.apply(workspace, transition, request);
  const shown = (await findContent(dependencies, restored)) ?? restored;
  const document = await presentWorkspace({ store, features }, { workspace: shown, organization, project, caller });
  return { ...document, meta: { dropped: findDropped(workspace, restoration, at) } };
};

export const deletedWorkspaceOperations = {
  /** `GET /deleted-workspaces/:workspace_id` (DEL-17) */
  'deleted-workspaces.show': async ({ digest, parameters: { workspace_id: id } }, { store }) => {
    const { workspace, rights, ...context } = await authorizeDeletedWorkspace(
      store,
      digest,
      id,
      'deleted-workspace.restore',
      now(),
    );
    return { data: deletedWorkspaceResource(workspace, context, rights) };
  },

  'deleted-workspaces.purge': purgeWorkspace,
  'deleted-workspaces.restore': restoreWorkspace,

  /** `PUT /recoverable-items/:workspace_id/actions/recover`: restores the workspace under its own name (DEL-23). */
  'recoverable-items.recover': async (request, dependencies) => {
    await restoreWorkspace({ ...request, body: undefined }, dependencies);
    return undefined;
  },

  'recoverable-items.permanently-delete': purgeWorkspace,
} satisfies Partial<Operations<'workspace-deletion', RestoreDependencies>>;
