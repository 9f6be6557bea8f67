import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import {
  beingMoved,
  MovedMeanwhile,
  type RequestContext,
  type Transition,
  whileNamed,
} from '../../shared/domain/transitions/transition.ts';
import { DELETION, SETTINGS, whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import type { DeletionContext } from '../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { inheritedProtection } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import { nameIn, workspaceTarget } from '../../shared/http/workspace-target.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { now } from '../../shared/lib/clock.ts';
import { retry } from '../../shared/lib/retry.ts';
import { dryRunResource } from '../../shared/resources/dry-runs/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { type CheckForContent, retryAfterContentCheck } from '../../shared/state-content/check-for-content.ts';
import { previewTransition } from '../../shared/store/workspaces/workspace-store.ts';

type DeleteRoute =
  | 'workspaces.safe-delete'
  | 'workspaces.safe-delete-by-name'
  | 'workspaces.force-delete'
  | 'workspaces.force-delete-by-name';

type DeleteDependencies = Dependencies & {
  readonly lookForContent: CheckForContent;
  /** Milliseconds for which a deleted workspace can be restored. */
  readonly keptFor: number;
};

/** Number of attempts to delete a workspace that is moved to another project at the same time. */
const ATTEMPTS = 3;

/**
 * Determines the deletion protection that a workspace inherits (DEL-11). The records are cached for seconds, so they are
 * read again before they reject a request.
 */
const findInheritedProtection = async (
  { store }: Pick<DeleteDependencies, 'store'>,
  { organization, project, workspace }: WorkspaceAccess,
): Promise<DeletionContext['inherited']> => {
  const isRejected =
    inheritedProtection(organization, project) && typeof workspace.settings.deletionProtection !== 'boolean';
  const [current, currentProject] = isRejected
    ? await Promise.all([store.organizations.find(organization.name, true), store.projects.find(project.id, true)])
    : [];
  return {
    project: project.id,
    isProtected: inheritedProtection(current ?? organization, currentProject ?? project),
  };
};

/**
 * `POST …/actions/safe-delete` and `DELETE`, by id and by name (DEL-1, DEL-6). They differ in the permission
 * (force delete requires an owner, or workspace admin access if the organization allows it) and in the condition of the
 * write. A dry run does not look for the content of a pending state version, because that would finalize it (EDIT-7).
 */
export const deleteWorkspace =
  (
    action: 'workspace.safe-delete' | 'workspace.force-delete',
    transition: (
      request: RequestContext,
      at: number,
      context: DeletionContext,
      checkedId: string | undefined,
    ) => Transition,
  ) =>
  (
    { id, contextFor, digest, parameters, isDryRun }: OperationRequest<DeleteRoute>,
    dependencies: DeleteDependencies,
  ): Promise<Document | undefined> => {
    const { store, lookForContent, keptFor } = dependencies;
    const target = workspaceTarget(parameters);
    const name = nameIn(target);
    const deleteOnce = async (): Promise<Document | undefined> => {
      const access = await authorizeWorkspace(store, digest, target, action);
      const request = contextFor(access.caller);
      const inherited = await findInheritedProtection(dependencies, access);
      const restricted = (checkedId: string | undefined): Transition => {
        const deletion = transition(request, now(), { inherited, keptFor }, checkedId);
        return whileNamed(name, whileMatching(request, deletion, SETTINGS, DELETION));
      };
      if (isDryRun) {
        await previewTransition(store.workspaces, access.workspace, restricted(undefined));
        return { data: dryRunResource(id, { outcome: 'deleted', revised: DELETION.of(access.workspace) }) };
      }
      await retryAfterContentCheck(access.workspace, store.workspaces.find, lookForContent, (image, checkedId) =>
        store.workspaces.apply(image, restricted(checkedId), request),
      );
      return undefined;
    };
    return retry(deleteOnce, {
      attempts: ATTEMPTS,
      retryOn: (error) => error instanceof MovedMeanwhile,
      exhausted: beingMoved,
    });
  };
