import type { RecordAccess } from '../../shared/access/authorize/record.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireReferencesPermission } from '../../shared/access/organization-policy.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import type { ProjectChange } from '../../shared/domain/directory/transitions/projects.ts';
import { replaceBindings } from '../../shared/domain/tags/tag.ts';
import { inheritedProtection } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import {
  pointAtDefaultAgentPool,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { projectRequest } from '../../shared/resources/projects/request-mapping.ts';
import { BINDINGS_POINTER, projectBindingsOf, projectChangeOf } from './change.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProjectAndRefresh } from './find.ts';
import { presentProject } from './present.ts';

/**
 * Requires admin access to the workspaces of the project if a change of its default lifts their deletion protection
 * (DEL-14).
 * @throws DomainError 404.
 */
const requireMayLift = (
  { caller, organization, record }: RecordAccess<Project>,
  { defaultDeletionProtection }: ProjectChange,
): void => {
  if (defaultDeletionProtection === undefined || !inheritedProtection(organization, record)) return;
  if (inheritedProtection(organization, { defaultDeletionProtection })) return;
  requirePermission({ caller, organization, project: record }, 'workspace.update');
};

/** `PATCH /projects/:project_id`: an omitted attribute keeps its value; given bindings replace all (PROJECT-6). */
export const updateProject =
  (dependencies: ProjectDependencies): Operation<'projects.update'> =>
  async ({ contextFor, digest, parameters: { project_id: id }, body: { data } }) => {
    const { relationships } = data;
    const { name, defaultAgentPool, ...change } = projectRequest(data.attributes ?? {});
    const given = relationships?.['tag-bindings']?.data ?? undefined;
    const bindings = given && projectBindingsOf(given, BINDINGS_POINTER);
    const requestedPool = readDefaultAgentPool(defaultAgentPool, relationships?.['default-agent-pool']);
    const access = await findProjectAndRefresh(dependencies, digest, id, 'project.update', (found) =>
      requireMayLift(found, projectChangeOf(change, requestedPool, found.record)),
    );
    requireSameId(data.id, id);
    const permitted = requireReferencesPermission(access, access.record, change);
    const { organization } = access.record;
    const { projects } = dependencies.directory;
    const project = await pointAtDefaultAgentPool(requestedPool, () =>
      concealNotFound(
        projects.update(
          contextFor(access.caller),
          organization,
          id,
          {
            ...projectChangeOf(permitted, requestedPool, access.record),
            ...(name !== undefined && { newName: name }),
            ...(bindings && { bindings: (before, at) => replaceBindings(before, bindings, at) }),
          },
          (record, changed) => requireMayLift({ ...access, record }, changed),
        ),
      ),
    );
    return presentProject(dependencies, access, project);
  };
