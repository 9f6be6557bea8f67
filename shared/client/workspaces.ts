import { findIncluded } from './documents.ts';
import { type ApiRequest, apiRequest } from './request.ts';
import type { DocumentOf, FiltersOf, InputOf, Schemas, Workspace } from './types.ts';

const LIST = '/api/v2/organizations/{organization_name}/workspaces';
const BY_ID = '/api/v2/workspaces/{workspace_id}';

export type WorkspaceListQuery = NonNullable<InputOf<'get', typeof LIST>['query']>;
export type WorkspaceFilter = FiltersOf<typeof LIST>;
type WorkspaceList = DocumentOf<'get', typeof LIST>;

/**
 * Returns whether a workspace has a state version. Without one, `latest-change-at` is the time of the creation of the
 * workspace (WS-15).
 */
export const hasState = ({ relationships }: Workspace): boolean => relationships['current-state-version'].data !== null;

type Included = NonNullable<WorkspaceList['included']>[number];

/** Returns the name of a user, a team or a run that holds a lock. */
export const holderName = (
  document: { readonly included?: readonly Included[] },
  workspace: Workspace,
): string | undefined => {
  const holder = workspace.relationships['locked-by'].data;
  if (holder === null) return undefined;
  const user = findIncluded(document, 'users', holder);
  const team = findIncluded(document, 'teams', holder);
  return user?.attributes.username ?? team?.attributes.name ?? holder.id;
};

/** Describes the request of one page of all workspaces of an organization, without included resources. */
export const listAllWorkspaces = (organization: string, page: number, size: number) =>
  apiRequest('get', LIST, {
    path: { organization_name: organization },
    query: { 'page[number]': page, 'page[size]': size },
  });

/** Describes the request of a workspace by its id, which stays when its name changes. */
export const showWorkspaceById = (id: string) => apiRequest('get', BY_ID, { path: { workspace_id: id } });

/** Describes the creation of a workspace (WS-17). */
export const createWorkspace = (
  organization: string,
  attributes: { readonly name: string; readonly description?: string },
  { project, tags }: { readonly project: string | undefined; readonly tags: readonly TagBinding[] },
) =>
  apiRequest('post', LIST, {
    path: { organization_name: organization },
    body: {
      data: {
        type: 'workspaces',
        attributes,
        relationships: {
          ...(project !== undefined && { project: { data: { id: project } } }),
          ...(tags.length > 0 && { 'tag-bindings': toBindings(tags) }),
        },
      },
    },
  });

type UpdateBody = Schemas['WorkspaceUpdateBody']['data'];
/** Attributes and relationships of an update. */
export type WorkspaceChange = Pick<UpdateBody, 'attributes' | 'relationships'>;

/** Describes an update of a workspace (WS-22). With `ifMatch`, it changes only that revision. */
export const updateWorkspace = (id: string, change: WorkspaceChange, ifMatch?: string) =>
  apiRequest(
    'patch',
    BY_ID,
    { path: { workspace_id: id }, body: { data: { type: 'workspaces', ...change } } },
    { ifMatch },
  ) as ApiRequest<WorkspaceDocument>;

interface WorkspaceDocument {
  readonly data: Workspace;
}

interface DryRunDocument {
  readonly data: Schemas['DryRun'];
}

/** Describes the dry run of an update (EDIT-6). */
export const previewUpdate = (id: string, change: WorkspaceChange) =>
  apiRequest('patch', BY_ID, {
    path: { workspace_id: id },
    query: { 'dry-run': 'true' },
    body: { data: { type: 'workspaces', ...change } },
  }) as ApiRequest<DryRunDocument>;

/** Describes the locking of a workspace (LOCK-1). */
export const lockWorkspace = (id: string, reason: string, leaseSeconds?: number) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/lock', {
    path: { workspace_id: id },
    body: { reason, ...(leaseSeconds !== undefined && { 'lease-seconds': leaseSeconds }) },
  }) as ApiRequest<WorkspaceDocument>;

/** Describes the release of the caller's lock (LOCK-6). */
export const unlockWorkspace = (id: string) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/unlock', {
    path: { workspace_id: id },
  }) as ApiRequest<WorkspaceDocument>;

/** Describes the release of the lock of any holder (LOCK-10). */
export const forceUnlockWorkspace = (id: string, reason: string) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/force-unlock', {
    path: { workspace_id: id },
    body: { reason },
  }) as ApiRequest<WorkspaceDocument>;

/** Describes the deletion of a workspace that is unlocked and manages no resources (DEL-1). With `ifMatch`, only of that revision. */
export const safeDeleteWorkspace = (id: string, ifMatch?: string) =>
  apiRequest(
    'post',
    '/api/v2/workspaces/{workspace_id}/actions/safe-delete',
    { path: { workspace_id: id } },
    { ifMatch },
  );

/** Describes the dry run of a safe delete (EDIT-6). */
export const previewSafeDelete = (id: string) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/safe-delete', {
    path: { workspace_id: id },
    query: { 'dry-run': 'true' },
  }) as ApiRequest<DryRunDocument>;

/** Describes the deletion of a workspace whatever it manages (DEL-6). With `ifMatch`, only of that revision. */
export const forceDeleteWorkspace = (id: string, ifMatch?: string) =>
  apiRequest('delete', BY_ID, { path: { workspace_id: id } }, { ifMatch });

/** Describes the dry run of a force delete (EDIT-6). */
export const previewForceDelete = (id: string) =>
  apiRequest('delete', BY_ID, {
    path: { workspace_id: id },
    query: { 'dry-run': 'true' },
  }) as ApiRequest<DryRunDocument>;

/**
 * Describes the assignment of an SSH key (SSH-1). With `ifMatch`, it changes only that revision.
 * @param key id of the key; null removes the assignment.
 */
export const assignSshKey = (id: string, key: string | null, ifMatch?: string) =>
  apiRequest(
    'patch',
    '/api/v2/workspaces/{workspace_id}/relationships/ssh-key',
    { path: { workspace_id: id }, body: { data: { type: 'workspaces', attributes: { id: key } } } },
    { ifMatch },
  );

/** Describes the addition of flat tags (TAG-6). */
export const addTags = (id: string, names: readonly string[]) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/relationships/tags', {
    path: { workspace_id: id },
    body: { data: names.map((name) => ({ type: 'tags' as const, attributes: { name } })) },
  });

/** Describes the removal of flat tags (TAG-6). */
export const removeTags = (id: string, names: readonly string[]) =>
  apiRequest('delete', '/api/v2/workspaces/{workspace_id}/relationships/tags', {
    path: { workspace_id: id },
    body: { data: names.map((name) => ({ type: 'tags' as const, attributes: { name } })) },
  });

/** A tag binding. Without a value, it is a flat tag (TAG-16). */
export interface TagBinding {
  readonly key: string;
  readonly value: string;
}

/** Builds the body of a change of tag bindings. */
export const toBindings = (bindings: readonly TagBinding[]) => ({
  data: bindings.map(({ key, value }) => ({ type: 'tag-bindings' as const, attributes: { key, value } })),
});

/** Describes the addition of tag bindings, or the change of their values (TAG-15). */
export const addTagBindings = (id: string, bindings: readonly TagBinding[]) =>
  apiRequest('patch', '/api/v2/workspaces/{workspace_id}/tag-bindings', {
    path: { workspace_id: id },
    body: toBindings(bindings),
  });

/** Describes the replacement of all bindings that have a value (TAG-14). With `ifMatch`, it changes only that revision. */
export const replaceTagBindings = (id: string, bindings: readonly TagBinding[], ifMatch: string | undefined) =>
  apiRequest(
    'patch',
    '/api/v2/workspaces/{workspace_id}/relationships/tag-bindings',
    { path: { workspace_id: id }, body: toBindings(bindings) },
    { ifMatch },
  );
