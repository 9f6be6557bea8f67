import { queryOptions } from '@tanstack/react-query';
import { apiRequest } from '../../../../shared/client/request.ts';
import type { DocumentOf, Project, Run, Workspace } from '../../../../shared/client/types.ts';
import { holderName, showWorkspaceById, type WorkspaceListQuery } from '../../../../shared/client/workspaces.ts';
import { apiQuery, queryKeyOf } from './query-client.ts';
import { send } from './send.ts';

const LIST = '/api/v2/organizations/{organization_name}/workspaces';
const BY_NAME = '/api/v2/organizations/{organization_name}/workspaces/{name}';

/** Number of workspaces of a page; the largest that the API returns. */
export const PAGE_SIZE = 100;

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

type WorkspaceList = DocumentOf<'get', typeof LIST>;
type Included = NonNullable<WorkspaceList['included']>[number];

/** Returns the tags of a workspace, its own and those of its project, as `name` or `key=value`. */
export const tagsInForce = (
  names: readonly string[],
  bindings: readonly { readonly key: string; readonly value: string }[],
): readonly string[] => [...names, ...bindings.map(({ key, value }) => (value === '' ? key : `${key}=${value}`))];

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
      tags: tagsInForce(attributes['tag-names'], effective),
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
const loadWorkspacePage = async (
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
export const workspaceByIdQuery = (id: string) => apiQuery(showWorkspaceById(id));

export type WorkspaceDocument = DocumentOf<'get', typeof BY_NAME>;

/** Paths whose data are out of date after a change of a workspace. */
export const workspacePaths = (organization: string, { id }: Pick<Workspace, 'id'>): readonly string[] => [
  `/organizations/${organization}/workspaces`,
  `/workspaces/${id}`,
];
