import { apiRequest } from '../../../../shared/client/request.ts';
import { showVariableSet } from '../../../../shared/client/variable-sets.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of a variable set with the names of what it is assigned to. */
export const variableSetQuery = (id: string) => apiQuery(showVariableSet(id));

/** Builds the query of the first 100 variable sets of an organization with the keys of their variables, to search in them. */
export const searchedVariableSetsQuery = (organization: string) =>
  apiQuery(
    apiRequest('get', '/api/v2/organizations/{organization_name}/varsets', {
      path: { organization_name: organization },
      query: { include: ['vars'], 'page[size]': 100 },
    }),
  );
