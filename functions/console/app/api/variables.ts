import { apiRequest } from '../../../../shared/client/request.ts';
import {
  findVariables,
  listVariables,
  listVariablesInForce,
  showVariable,
  type VariableOwner,
} from '../../../../shared/client/variables.ts';
import { apiQuery, cursorPagesQuery } from './query-client.ts';

/** Builds the query of the variables of a workspace. */
export const variablesQuery = (workspace: string) => apiQuery(listVariables(workspace));

/** Number of variables that the command palette shows. */
const FOUND = 10;

/** Builds the query of the first variables whose keys begin with a text, in all workspaces and variable sets. */
export const foundVariablesQuery = (organization: string, text: string) =>
  apiQuery(findVariables(organization, text, FOUND));

/** Builds the query of all variables whose keys begin with a text, in all workspaces and variable sets. */
export const variableKeysQuery = (organization: string, text: string) =>
  cursorPagesQuery((after) => findVariables(organization, text, 100, after));

/** Builds the query of the variables in force for a workspace. */
export const variablesInForceQuery = (workspace: string) => apiQuery(listVariablesInForce(workspace));

/** Builds the query of the variable sets that apply to a workspace, with their variables (VARSET-6). */
export const applicableSetsQuery = (workspace: string) =>
  apiQuery(
    apiRequest('get', '/api/v2/workspaces/{workspace_id}/varsets', {
      path: { workspace_id: workspace },
      query: { include: ['vars'], 'page[size]': 100 },
    }),
  );

/** Owner of variables that the user edits. */
export interface EditedOwner extends VariableOwner {
  /** The variable set: its name, and a sentence that says to what it applies. */
  readonly variableSet?: { readonly name: string; readonly reach: string };
  /** Paths whose data are out of date after a change of one of its variables. */
  readonly paths: readonly string[];
}

/** Returns a workspace as the owner of variables. */
export const workspaceOwner = (id: string): EditedOwner => ({ type: 'workspaces', id, paths: [`/workspaces/${id}`] });

/** Builds the query of one variable, for its entity tag. */
export const variableQuery = (owner: VariableOwner, variable: string) => apiQuery(showVariable(owner, variable));
