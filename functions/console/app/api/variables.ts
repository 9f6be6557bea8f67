import { apiQuery } from './query-client.ts';
import { type ApiRequest, apiRequest } from './request.ts';
import type { Schemas, Variable } from './types.ts';

/** Attributes of a variable as the user edits them. */
export interface VariableInput {
  readonly key: string;
  readonly category: 'infra' | 'env';
  /** Absent: the stored value stays, which for a sensitive variable nobody can read. */
  readonly value?: string;
  readonly description: string | null;
  readonly sensitive: boolean;
  readonly hcl: boolean;
}

const VALUE = ['value'];

/** Builds the query of the variables of a workspace. The list is complete (VAR-10). */
export const variablesQuery = (workspace: string) =>
  apiQuery(apiRequest('get', '/api/v2/workspaces/{workspace_id}/vars', { path: { workspace_id: workspace } }));

/** Builds the query of the variables in force for a workspace (VARSET-10). */
export const variablesInForceQuery = (workspace: string) =>
  apiQuery(apiRequest('get', '/api/v2/workspaces/{workspace_id}/all-vars', { path: { workspace_id: workspace } }));

/** Builds the query of the variable sets that apply to a workspace, with their variables (VARSET-6). */
export const applicableSetsQuery = (workspace: string) =>
  apiQuery(
    apiRequest('get', '/api/v2/workspaces/{workspace_id}/varsets', {
      path: { workspace_id: workspace },
      query: { include: ['vars'], 'page[size]': 100 },
    }),
  );

/** Builds the query of one variable of a workspace, for its entity tag. */
export const variableQuery = (workspace: string, variable: string) =>
  apiQuery(
    apiRequest('get', '/api/v2/workspaces/{workspace_id}/vars/{variable_id}', {
      path: { workspace_id: workspace, variable_id: variable },
    }),
  );

const attributesOf = ({ value, ...rest }: VariableInput) => ({ ...rest, ...(value !== undefined && { value }) });

/** Describes the creation of a variable of a workspace (VAR-2). */
export const createVariable = (workspace: string, input: VariableInput) =>
  apiRequest(
    'post',
    '/api/v2/workspaces/{workspace_id}/vars',
    { path: { workspace_id: workspace }, body: { data: { type: 'vars', attributes: attributesOf(input) } } },
    { secrets: input.sensitive ? VALUE : [] },
  );

/** Describes the update of a variable (VAR-5). With `ifMatch`, it changes only that revision. */
export const updateVariable = (
  workspace: string,
  variable: Pick<Variable, 'id'>,
  input: Partial<VariableInput>,
  options: { readonly ifMatch?: string | undefined; readonly isSensitive: boolean },
): ApiRequest<{ readonly data: Schemas['Variable'] }> =>
  apiRequest(
    'patch',
    '/api/v2/workspaces/{workspace_id}/vars/{variable_id}',
    {
      path: { workspace_id: workspace, variable_id: variable.id },
      body: { data: { type: 'vars', id: variable.id, attributes: input } },
    },
    { ifMatch: options.ifMatch, secrets: options.isSensitive ? VALUE : [] },
  );

/** Describes the deletion of a variable. */
export const deleteVariable = (workspace: string, variable: Pick<Variable, 'id'>, ifMatch?: string) =>
  apiRequest(
    'delete',
    '/api/v2/workspaces/{workspace_id}/vars/{variable_id}',
    { path: { workspace_id: workspace, variable_id: variable.id } },
    { ifMatch },
  );

/** Paths whose data are out of date after a change of a variable of a workspace. */
export const variablePaths = (workspace: string): readonly string[] => [`/workspaces/${workspace}`];
