import { queryOptions } from '@tanstack/react-query';
import { type ApiRequest, apiRequest } from '../../../../shared/client/request.ts';
import type {
  DocumentOf,
  FiltersOf,
  InputOf,
  Project,
  Run,
  Schemas,
  Workspace,
} from '../../../../shared/client/types.ts';
import { findIncluded } from './documents.ts';
import { apiQuery, queryKeyOf } from './query-client.ts';
import { send } from './send.ts';

const LIST = '/api/v2/organizations/{organization_name}/workspaces';
const BY_NAME = '/api/v2/organizations/{organization_name}/workspaces/{name}';
const BY_ID = '/api/v2/workspaces/{workspace_id}';

/** Number of workspaces of a page; the largest that the API returns. */
export const PAGE_SIZE = 100;

export type WorkspaceListQuery = NonNullable<InputOf<'get', typeof LIST>['query']>;
export type WorkspaceFilter = FiltersOf<typeof LIST>;
type WorkspaceList = DocumentOf<'get', typeof LIST>;

/** A workspace of the list with what belongs to it. */
export interface WorkspaceRow {
  readonly workspace: Workspace;
  readonly project: Project | undefined;
  readonly run: Run | undefined;
  /** Name of the holder of the lock. */
  readonly lockedBy: string | undefined;
  /** Tags and bindings in force, as `name` or `key=value`. */
  readonly tags: readonly string[];
}

/**
 * Returns whether a workspace has a state version. Without one, `latest-change-at` is the time of the creation of the
 * workspace (WS-15).
 */
export const hasState = ({ relationships }: Workspace): boolean => relationships['current-state-version'].data !== null;

/** Describes the request of one page of the workspaces of an organization (LIST-1). */
export const listWorkspaces = (organization: string, query: WorkspaceListQuery, page: number) =>
  apiRequest('get', LIST, {
    path: { organization_name: organization },
    query: {
      ...query,
      include: ['project', 'current_run', 'locked_by', 'effective_tag_bindings'],
      'page[size]': PAGE_SIZE,
      'page[number]': page,
    },
  });

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

const toRows = (document: WorkspaceList): readonly WorkspaceRow[] => {
  const included = new Map((document.included ?? []).map((resource) => [`${resource.type} ${resource.id}`, resource]));
  const find = <T extends Included['type']>(type: T, id: string | undefined) =>
    included.get(`${type} ${id}`) as Extract<Included, { type: T }> | undefined;
  return document.data.map((workspace) => {
    const { attributes, relationships } = workspace;
    const bindings = relationships['effective-tag-bindings'];
    const ids = 'data' in bindings ? (bindings.data ?? []) : [];
    const effective = ids.flatMap(({ id }) => find('effective-tag-bindings', id)?.attributes ?? []);
    return {
      workspace,
      project: find('projects', relationships.project.data.id),
      run: find('runs', relationships['current-run'].data?.id),
      lockedBy: holderName(document, workspace),
      tags: [
        ...attributes['tag-names'],
        ...effective.map(({ key, value }) => (value === '' ? key : `${key}=${value}`)),
      ],
    };
  });
};

/** A page of the list. */
export interface WorkspacePage {
  readonly rows: readonly WorkspaceRow[];
  readonly total: number;
  readonly statusCounts: Readonly<Record<string, number>>;
}

/** Loads one page of the workspaces of an organization. */
export const loadWorkspacePage = async (
  organization: string,
  query: WorkspaceListQuery,
  page: number,
  signal?: AbortSignal,
): Promise<WorkspacePage> => {
  const { document } = await send(listWorkspaces(organization, query, page), { signal });
  return {
    rows: toRows(document),
    total: document.meta.pagination['total-count'],
    statusCounts: document.meta['status-counts'],
  };
};

/** Builds the query of one page of the workspaces of an organization. */
export const workspacePageQuery = (organization: string, query: WorkspaceListQuery, page: number) =>
  queryOptions({
    queryKey: queryKeyOf(listWorkspaces(organization, query, page).url),
    queryFn: ({ signal }) => loadWorkspacePage(organization, query, page, signal),
  });

/** Builds the query of one workspace that matches, without included resources. */
export const anyWorkspaceQuery = (organization: string, query: WorkspaceListQuery) =>
  apiQuery(
    apiRequest('get', LIST, { path: { organization_name: organization }, query: { ...query, 'page[size]': 1 } }),
  );

/** Describes the request of a workspace with everything that its pages show. */
export const showWorkspace = (organization: string, name: string) =>
  apiRequest('get', BY_NAME, {
    path: { organization_name: organization, name },
    query: {
      include: [
        ...(['project', 'organization', 'current_run', 'current_state_version', 'locked_by', 'readme'] as const),
        'effective_tag_bindings',
      ],
    },
  });

/** Builds the query of a workspace with everything that its pages show. */
export const workspaceQuery = (organization: string, name: string) => apiQuery(showWorkspace(organization, name));

/** Builds the query of a workspace by its id, which stays when its name changes. */
export const workspaceByIdQuery = (id: string) => apiQuery(apiRequest('get', BY_ID, { path: { workspace_id: id } }));

export type WorkspaceDocument = DocumentOf<'get', typeof BY_NAME>;

/** Paths whose data are out of date after a change of a workspace. */
export const workspacePaths = (organization: string, { id }: Pick<Workspace, 'id'>): readonly string[] => [
  `/organizations/${organization}/workspaces`,
  `/workspaces/${id}`,
];

/** Describes the creation of a workspace (WS-17). */
export const createWorkspace = (
  organization: string,
  attributes: { readonly name: string; readonly description?: string },
  project?: string,
) =>
  apiRequest('post', LIST, {
    path: { organization_name: organization },
    body: {
      data: {
        type: 'workspaces',
        attributes,
        ...(project !== undefined && { relationships: { project: { data: { id: project } } } }),
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
  ) as ApiRequest<{ readonly data: Workspace }>;

/** Describes the dry run of an update (EDIT-6). */
export const previewUpdate = (id: string, change: WorkspaceChange) =>
  apiRequest('patch', BY_ID, {
    path: { workspace_id: id },
    query: { 'dry-run': 'true' },
    body: { data: { type: 'workspaces', ...change } },
  }) as ApiRequest<{ readonly data: Schemas['DryRun'] }>;

/** Describes the locking of a workspace (LOCK-1). */
export const lockWorkspace = (id: string, reason: string, leaseSeconds?: number) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/lock', {
    path: { workspace_id: id },
    body: { reason, ...(leaseSeconds !== undefined && { 'lease-seconds': leaseSeconds }) },
  });

/** Describes the release of the caller's lock (LOCK-6). */
export const unlockWorkspace = (id: string) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/unlock', { path: { workspace_id: id } });

/** Describes the release of the lock of any holder (LOCK-10). */
export const forceUnlockWorkspace = (id: string, reason: string) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/force-unlock', {
    path: { workspace_id: id },
    body: { reason },
  });

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
  });

/** Describes the deletion of a workspace whatever it manages (DEL-6). With `ifMatch`, only of that revision. */
export const forceDeleteWorkspace = (id: string, ifMatch?: string) =>
  apiRequest('delete', BY_ID, { path: { workspace_id: id } }, { ifMatch });

/** Describes the assignment of an SSH key (SSH-1). @param key id of the key; null removes the assignment. */
export const assignSshKey = (id: string, key: string | null) =>
  apiRequest('patch', '/api/v2/workspaces/{workspace_id}/relationships/ssh-key', {
    path: { workspace_id: id },
    body: { data: { type: 'workspaces', attributes: { id: key } } },
  });

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
