import { apiRequest } from './request.ts';
import type { DocumentOf, Entered, Schemas } from './types.ts';
import { toScope, type WorkloadScope } from './workload-identities.ts';

/** Describes the request of one page of the variable sets of an organization (VARSET-3). */
export const listVariableSets = (organization: string, number: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/varsets', {
    path: { organization_name: organization },
    query: { 'page[number]': number, 'page[size]': 20 },
  });

/** Describes the request of one page of the variable sets that apply to all workspaces of a project (VARSET-6). */
export const listProjectVariableSets = (project: string, number: number) =>
  apiRequest('get', '/api/v2/projects/{project_id}/varsets', {
    path: { project_id: project },
    query: { 'page[number]': number, 'page[size]': 20 },
  });

const BY_ID = '/api/v2/varsets/{varset_id}';

export type VariableSetDocument = DocumentOf<'get', typeof BY_ID>;

/** Describes the request of a variable set with the names of what it is assigned to (VARSET-3). */
export const showVariableSet = (id: string) =>
  apiRequest('get', BY_ID, {
    path: { varset_id: id },
    query: { include: ['workspaces', 'projects'] },
  });

/** A variable set as the user edits it. */
export type VariableSetInput = Entered<Schemas['VariableSetBody']>;

/** Owner of a new variable set, and what it applies to. */
interface VariableSetPlace {
  /** Id of the owner, if it is not the organization. */
  readonly project?: string;
  /** Ids of what it applies to. */
  readonly assigned?: Partial<WorkloadScope>;
}

/** Describes the creation of a variable set (VARSET-2). */
export const createVariableSet = (
  organization: string,
  attributes: Partial<VariableSetInput>,
  { project, assigned = {} }: VariableSetPlace = {},
) => {
  const relationships = {
    ...(project !== undefined && { parent: { data: { type: 'projects', id: project } as const } }),
    ...toScope(assigned),
  };
  return apiRequest('post', '/api/v2/organizations/{organization_name}/varsets', {
    path: { organization_name: organization },
    body: {
      data: { type: 'varsets', attributes, ...(Object.keys(relationships).length > 0 && { relationships }) },
    },
  });
};

/** Describes the update of a variable set (VARSET-4). With `ifMatch`, it changes only that revision. */
export const updateVariableSet = (id: string, attributes: Partial<VariableSetInput>, ifMatch: string | undefined) =>
  apiRequest('patch', BY_ID, { path: { varset_id: id }, body: { data: { type: 'varsets', attributes } } }, { ifMatch });

/** Describes the deletion of a variable set with its variables. With `ifMatch`, it deletes only that revision. */
export const deleteVariableSet = (id: string, ifMatch?: string) =>
  apiRequest('delete', BY_ID, { path: { varset_id: id } }, { ifMatch });

/** Kinds of targets of a variable set. */
export type AssignmentKind = 'workspaces' | 'projects';

/** Describes the assignment of a variable set to a workspace or a project, or its end. */
export const changeAssignment = (set: string, kind: AssignmentKind, id: string, isAddition: boolean) => {
  const method = isAddition ? 'post' : 'delete';
  return kind === 'workspaces'
    ? apiRequest(method, '/api/v2/varsets/{varset_id}/relationships/workspaces', {
        path: { varset_id: set },
        body: { data: [{ type: 'workspaces', id }] },
      })
    : apiRequest(method, '/api/v2/varsets/{varset_id}/relationships/projects', {
        path: { varset_id: set },
        body: { data: [{ type: 'projects', id }] },
      });
};
