import type { BulkAction } from '../../domain/bulk-jobs/bulk-job.ts';
import { categories } from '../../domain/workspace/variable.ts';

/**
 * The requests that a bulk job sends for a workspace (JOB-2). Their bodies are those of single requests, so the parameters of an
 * action are checked by the schema of the body, and mean what they mean there.
 */

/** Parameters of an action, as the request for a job has them. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A request for one workspace or, for assignments of a variable set, for several of them. */
export interface ActionRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Path below /api/v2. */
  readonly path: string;
  readonly body?: object;
}

/** Bodies by the names of their schemas in `request-bodies.ts`. */
export type ActionBody =
  | 'workspace'
  | 'tags'
  | 'tagBindings'
  | 'newWorkspaceVariable'
  | 'variable'
  | 'assignedWorkspaces'
  | 'workspaceLock'
  | 'workspaceForceUnlock';

interface ActionDefinition {
  /** Schema of the body; undefined for a request without one. */
  readonly body: ActionBody | undefined;
  /** Parameters that the action needs. */
  readonly required: readonly string[];
  /** Builds the request. @param variable id of the variable to change; undefined to create one. */
  readonly request: (parameters: Parameters, workspaces: readonly string[], variable?: string) => ActionRequest;
  /** Returns the place among the parameters of a place in the body, both as JSON pointers. */
  readonly parameterAt: (pointer: string) => string;
  /** Whether one request changes several workspaces, each of which changes the entity tag of the same resource. */
  readonly isJoint?: true;
}

const ATTRIBUTES = '/data/attributes';
const inAttributes = (pointer: string): string =>
  pointer.startsWith(ATTRIBUTES) ? pointer.slice(ATTRIBUTES.length) : '';
const always = (name: string) => () => `/${name}`;

const workspaceBody = (members: object) => ({ data: { type: 'workspaces', ...members } });

const changesTags = (method: 'POST' | 'DELETE'): ActionDefinition => ({
  body: 'tags',
  required: ['tags'],
  request: ({ tags }, [id]) => ({
    method,
    path: `/workspaces/${id}/relationships/tags`,
    body: { data: Array.isArray(tags) ? tags.map((name) => ({ type: 'tags', attributes: { name } })) : tags },
  }),
  parameterAt: (pointer) => pointer.replace(/^\/data/, '/tags').replace(/^(\/tags\/\d+).*$/, '$1'),
});

const assigns = (method: 'POST' | 'DELETE'): ActionDefinition => ({
  body: 'assignedWorkspaces',
  required: ['variable-set'],
  request: ({ 'variable-set': set }, ids) => ({
    method,
    path: `/varsets/${encodeURIComponent(String(set))}/relationships/workspaces`,
    body: { data: ids.map((id) => ({ type: 'workspaces', id })) },
  }),
  parameterAt: always('variable-set'),
  isJoint: true,
});

const locks = (path: string, body?: ActionBody): ActionDefinition => ({
  body,
  required: [],
  request: (parameters, [id]) => ({
    method: 'POST',
    path: `/workspaces/${id}/actions/${path}`,
    ...(body && { body: parameters }),
  }),
  parameterAt: (pointer) => pointer,
});

const onVariable = (
  body: ActionBody | undefined,
  request: (parameters: Parameters, path: string, variable: string | undefined) => ActionRequest,
): ActionDefinition => ({
  body,
  required: ['key'],
  request: (parameters, [id], variable) => request(parameters, `/workspaces/${id}/vars`, variable),
  parameterAt: inAttributes,
});

/** Definition of each action. */
export const actionDefinitions: Readonly<Record<BulkAction, ActionDefinition>> = {
  update: {
    body: 'workspace',
    required: [],
    request: (attributes, [id]) => ({
      method: 'PATCH',
      path: `/workspaces/${id}`,
      body: workspaceBody({ attributes }),
    }),
    parameterAt: inAttributes,
  },
  move: {
    body: 'workspace',
    required: ['project'],
    request: ({ project }, [id]) => ({
      method: 'PATCH',
      path: `/workspaces/${id}`,
      body: workspaceBody({ relationships: { project: { data: { type: 'projects', id: project } } } }),
    }),
    parameterAt: always('project'),
  },
  'add-tags': changesTags('POST'),
  'add-tag-bindings': {
    body: 'tagBindings',
    required: ['tag-bindings'],
    request: ({ 'tag-bindings': bindings }, [id]) => ({
      method: 'POST',
      path: `/workspaces/${id}/relationships/tag-bindings`,
      body: {
        data: Array.isArray(bindings) ? bindings.map((attributes) => ({ type: 'tag-bindings', attributes })) : bindings,
      },
    }),
    parameterAt: (pointer) => pointer.replace(/^\/data/, '/tag-bindings').replace('/attributes', ''),
  },
  'remove-tags': changesTags('DELETE'),
  'set-variable': onVariable('newWorkspaceVariable', ({ category = categories[0], ...attributes }, path, variable) =>
    variable === undefined
      ? { method: 'POST', path, body: { data: { type: 'vars', attributes: { category, ...attributes } } } }
      : { method: 'PATCH', path: `${path}/${variable}`, body: { data: { type: 'vars', attributes } } },
  ),
  'delete-variable': onVariable(undefined, (_, path, variable) => ({
    method: 'DELETE',
    path: `${path}/${variable ?? 'none'}`,
  })),
  'assign-variable-set': assigns('POST'),
  'unassign-variable-set': assigns('DELETE'),
  lock: locks('lock', 'workspaceLock'),
  unlock: locks('unlock'),
  'force-unlock': locks('force-unlock', 'workspaceForceUnlock'),
  'safe-delete': locks('safe-delete'),
  restore: {
    body: undefined,
    required: [],
    request: (_, [id]) => ({ method: 'POST', path: `/deleted-workspaces/${id}/actions/restore` }),
    parameterAt: (pointer) => pointer,
  },
};

/** Tells whether an action changes a variable, which a job finds by its key and category. */
export const changesVariable = (action: BulkAction): boolean =>
  action === 'set-variable' || action === 'delete-variable';
