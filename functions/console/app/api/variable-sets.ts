import { apiRequest } from '../../../../shared/client/request.ts';
import { showVariableSet } from '../../../../shared/client/variable-sets.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of a variable set with the names of what it is assigned to. */
export const variableSetQuery = (id: string) => apiQuery(showVariableSet(id));

/** Builds the query of the variable sets of an organization whose names contain a text. */
export const variableSetsQuery = (organization: string, name: string) =>
  apiQuery(
    apiRequest('get', '/api/v2/organizations/{organization_name}/varsets', {
      path: { organization_name: organization },
      query: { q: name },
    }),
  );
