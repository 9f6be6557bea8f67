import { NOWHERE } from '../../shared/access/authorize/confirm-rejection.ts';
import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../shared/access/authorize/record.ts';
import { requireProjectPermission } from '../../shared/access/project-policy.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import { losesPool, POOL_OUT_OF_SCOPE } from '../../shared/domain/directory/agent-pools.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import { DomainError, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { withoutOverrides } from '../../shared/domain/tags/reserved-tag-keys.ts';
import type { Tags } from '../../shared/domain/tags/tag.ts';
import { move } from '../../shared/domain/transitions/workspaces/move-workspace.ts';
import { inactivityFromProject } from '../../shared/domain/workspace/auto-destroy.ts';
import { CONNECTION_OUT_OF_SCOPE, losesConnection } from '../../shared/domain/workspace/connection-scope.ts';
import {
  effectiveExecution,
  inheritedExecution,
  inheritedProtection,
  isAlive,
  isProtected,
  type Workspace,
} from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import type { ProjectDependencies } from './dependencies.ts';

/** Number of workspaces that are moved concurrently. */
const CONCURRENCY = 10;

/**
 * `POST /projects/:project_id/relationships/workspaces`: checks all workspaces before it moves the first. A workspace
 * that is in the project already stays unchanged.
 */
export const moveWorkspacesToProject: Operation<'projects.move-workspaces', ProjectDependencies> = async (
  { contextFor, digest, parameters: { project_id: target }, body: { data } },
  dependencies,
) => {
  const { store } = dependencies;
  const ids = [...new Set(data.map(({ id }) => id))];
  const {
    caller,
    organization,
    record,
    checked: workspaces,
  } = await authorizeRecord(
    store,
    digest,
    async (consistent) => (isId('project', target) ? store.projects.find(target, consistent) : undefined),
    async ({ caller, organization, record: project }, consistent) => {
      requireProjectPermission(effectiveRights(caller, organization, project), 'project.read');
      const movable = await findMovable(dependencies, { caller, organization }, ids, consistent);
      requirePermission({ caller, organization, project }, 'workspace.move');
      const to = inheritedProtection(organization, project);
      return movable.map((from) => {
        const protection = { from: inheritedProtection(organization, from.project), to };
        // A move that lifts the deletion protection needs the right to lift it (DEL-14).
        if (isProtected(from.workspace, protection.from) && !isProtected(from.workspace, to)) {
          requirePermission({ caller, organization, ...from }, 'workspace.update');
        }
        return { workspace: from.workspace, protection };
      });
    },
  );
  const by = contextFor(caller);
  const to = { id: target, inactivity: inactivityFromProject(record) };
  const moved = workspaces.filter(({ workspace }) => workspace.project !== target);
  const inherited = inheritedExecution(organization, record);
  const { agentPools, vcsConnections } = await store.records.findScoped({
    agentPools: moved.map((it) => effectiveExecution(it.workspace, inherited).agentPool),
    vcsConnections: moved.map((it) => it.workspace.vcsRepo?.oauthTokenId ?? null),
  });
  for (const { workspace } of moved) {
    const reject = (detail: string): never => {
      throw new DomainError('invalid-attribute', detail, { source: { pointer: pointerTo(data, workspace) } });
    };
    if (losesPool(workspace, inherited, target, agentPools)) reject(POOL_OUT_OF_SCOPE);
    if (losesConnection(workspace, target, vcsConnections)) reject(CONNECTION_OUT_OF_SCOPE);
  }
  const moves = moved.map(({ workspace, protection }) => {
    const checkTags = (tags: Tags) => withoutOverrides([], tags, organization, record, pointerTo(data, workspace));
    return { workspace, transition: move(by, workspace, to, protection, checkTags, now()) };
  });
  for (const { workspace, transition } of moves) transition.plan(workspace);
  await mapWithConcurrency(moves, CONCURRENCY, ({ workspace, transition }) =>
    store.workspaces.apply(workspace, transition, by),
  );
  return undefined;
};

/** Returns the JSON pointer to the element of the request that names the workspace. */
const pointerTo = (elements: readonly { readonly id: string }[], { id }: Workspace): string =>
  `/data/${elements.findIndex((element) => element.id === id)}/id`;

/** @throws DomainError 404 for a workspace that the caller cannot read, 403 for a workspace that the caller may not move. */
const findMovable = async (
  { store }: ProjectDependencies,
  { caller, organization }: Pick<OrganizationAccess, 'caller' | 'organization'>,
  ids: readonly string[],
  consistent: boolean,
): Promise<readonly { readonly workspace: Workspace; readonly project: Project }[]> => {
  // The long texts are read too: a move from an item without them would lose them.
  const references = ids.filter((id) => isId('workspace', id)).map((id) => ({ id, hasLongText: true }));
  const found = await store.workspaces.findAll(references, true);
  const workspaces = found.filter((it) => isAlive(it) && it.organization === organization.name);
  // The reads are the same for a workspace that does not exist, or that belongs to another organization (PERM-21).
  const projectIds = ids.map((id) => workspaces.find((it) => it.id === id)?.project ?? NOWHERE.project);
  const projects = await Promise.all([...new Set(projectIds)].map((id) => store.projects.find(id, consistent)));
  const readable = workspaces.flatMap((workspace) => {
    const project = projects.find((one) => one?.id === workspace.project);
    const isReadable = project !== undefined && canRead(effectiveRights(caller, organization, project, workspace));
    return isReadable ? [{ workspace, project }] : [];
  });
  if (readable.length < ids.length) throw notFound();
  for (const one of readable) requirePermission({ caller, organization, ...one }, 'workspace.move');
  return readable;
};
