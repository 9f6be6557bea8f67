import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { type ProjectAction, requireProjectPermission } from '../../shared/access/project-policy.ts';
import { effectiveRights } from '../../shared/access/rights.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { ProjectDependencies } from './dependencies.ts';

/**
 * Finds a project by its id for a caller who may perform the action.
 * @param reads further reads, in parallel with those of authorization.
 * @param check throws to reject the request for a further reason.
 * @throws DomainError 401; 404 when the caller cannot see the project; 403.
 */
export const findProject = (
  { store }: ProjectDependencies,
  digest: string,
  id: string,
  action: ProjectAction,
  reads?: (project: Project) => Promise<void>,
  check?: (access: RecordAccess<Project>) => void,
): Promise<RecordAccess<Project>> =>
  authorizeRecord(
    store,
    digest,
    async (consistent) => (isId('project', id) ? store.projects.find(id, consistent) : undefined),
    (access) => {
      requireProjectPermission(effectiveRights(access.caller, access.organization, access.record), action);
      check?.(access);
    },
    reads,
  );

/** Finds a project like `findProject`, and refreshes the list index in parallel; it counts the workspaces. */
export const findProjectAndRefresh = (
  dependencies: ProjectDependencies,
  digest: string,
  id: string,
  action: ProjectAction,
  check?: (access: RecordAccess<Project>) => void,
): Promise<RecordAccess<Project>> =>
  findProject(
    dependencies,
    digest,
    id,
    action,
    ({ organization }) => dependencies.store.listIndexes.refresh(organization),
    check,
  );
