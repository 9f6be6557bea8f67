import { type ApiRequest, apiRequest } from './request.ts';
import type { DocumentOf, Entered, Schemas, Variable } from './types.ts';

/** Attributes of a variable as the user edits them. */
export type VariableInput = Entered<Schemas['NewVariableBody'], 'value' | 'value-reference'> & {
  /** Absent: the stored value stays, which for a sensitive variable nobody can read. */
  readonly value?: string;
};

const VALUE = ['value'];

/** Describes the request of the variables of a workspace. The list is complete (VAR-10). */
export const listVariables = (workspace: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/vars', { path: { workspace_id: workspace } });

/** Describes the request of the variables in force for a workspace (VARSET-10). */
export const listVariablesInForce = (workspace: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/all-vars', { path: { workspace_id: workspace } });

/** Describes the request of a page of the variables whose keys begin with a text, in all workspaces and variable sets (VAR-19). */
export const findVariables = (organization: string, text: string, size: number, after?: string) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/variable-keys', {
    path: { organization_name: organization },
    query: { 'search[key]': text, 'page[size]': size, ...(after !== undefined && { 'page[after]': after }) },
  });

/** Owner of variables: a workspace or a variable set. */
export interface VariableOwner {
  readonly type: 'workspaces' | 'varsets';
  readonly id: string;
}

/** Document of one variable, of a workspace or of a variable set. */
export type VariableDocument = { readonly data: Variable };

const OF_WORKSPACE = '/api/v2/workspaces/{workspace_id}/vars';
const OF_SET = '/api/v2/varsets/{varset_id}/relationships/vars';

/** Describes the request of one page of the variables of a variable set. */
export const listSetVariables = (set: string, number: number) =>
  apiRequest('get', OF_SET, { path: { varset_id: set }, query: { 'page[number]': number, 'page[size]': 20 } });

/** Describes the request of one page of the variables of a workspace or a variable set. Few fit a page: values can be large. */
export const listOwnVariables = (
  { type, id }: VariableOwner,
  number: number,
): ApiRequest<DocumentOf<'get', typeof OF_WORKSPACE> | DocumentOf<'get', typeof OF_SET>> =>
  type === 'workspaces'
    ? apiRequest('get', OF_WORKSPACE, {
        path: { workspace_id: id },
        query: { 'page[number]': number, 'page[size]': 20 },
      })
    : listSetVariables(id, number);

/** Describes the request of one page of the variable sets that apply to a workspace, with their variables (VARSET-6). */
export const listSetsInForce = (workspace: string, number: number) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/varsets', {
    path: { workspace_id: workspace },
    query: { include: ['vars'], 'page[number]': number, 'page[size]': 20 },
  });

/** Describes the request of one variable, with its entity tag. */
export const showVariable = ({ type, id }: VariableOwner, variable: string): ApiRequest<VariableDocument> =>
  type === 'workspaces'
    ? apiRequest('get', `${OF_WORKSPACE}/{variable_id}`, { path: { workspace_id: id, variable_id: variable } })
    : apiRequest('get', `${OF_SET}/{variable_id}`, { path: { varset_id: id, variable_id: variable } });

/** Describes the creation of a variable (VAR-2, VARSET-8). */
export const createVariable = ({ type, id }: VariableOwner, input: VariableInput): ApiRequest<VariableDocument> => {
  const body = { data: { type: 'vars', attributes: input } } as const;
  const options = { secrets: input.sensitive ? VALUE : [] };
  return type === 'workspaces'
    ? (apiRequest('post', OF_WORKSPACE, { path: { workspace_id: id }, body }, options) as ApiRequest<VariableDocument>)
    : apiRequest('post', OF_SET, { path: { varset_id: id }, body }, options);
};

/** Describes the update of a variable (VAR-5, VARSET-8). With `ifMatch`, it changes only that revision. */
export const updateVariable = (
  { type, id }: VariableOwner,
  variable: string,
  attributes: Partial<VariableInput>,
  { ifMatch, isSensitive }: { readonly ifMatch: string | undefined; readonly isSensitive: boolean },
): ApiRequest<VariableDocument> => {
  const body = { data: { type: 'vars', id: variable, attributes } } as const;
  const options = { ifMatch, secrets: isSensitive ? VALUE : [] };
  return type === 'workspaces'
    ? (apiRequest(
        'patch',
        `${OF_WORKSPACE}/{variable_id}`,
        { path: { workspace_id: id, variable_id: variable }, body },
        options,
      ) as ApiRequest<VariableDocument>)
    : apiRequest('patch', `${OF_SET}/{variable_id}`, { path: { varset_id: id, variable_id: variable }, body }, options);
};

/** Describes the deletion of a variable. */
export const deleteVariable = ({ type, id }: VariableOwner, variable: string) =>
  type === 'workspaces'
    ? apiRequest('delete', `${OF_WORKSPACE}/{variable_id}`, { path: { workspace_id: id, variable_id: variable } })
    : apiRequest('delete', `${OF_SET}/{variable_id}`, { path: { varset_id: id, variable_id: variable } });

/** Describes the comparison of a value with that of a variable (VAR-16). */
export const verifyVariable = ({ type, id }: VariableOwner, variable: string, value: string) => {
  const options = { secrets: VALUE };
  const body = { value };
  return type === 'workspaces'
    ? apiRequest(
        'post',
        `${OF_WORKSPACE}/{variable_id}/actions/verify`,
        { path: { workspace_id: id, variable_id: variable }, body },
        options,
      )
    : apiRequest(
        'post',
        `${OF_SET}/{variable_id}/actions/verify`,
        { path: { varset_id: id, variable_id: variable }, body },
        options,
      );
};
