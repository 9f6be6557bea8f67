import { showVariableSet } from '../../../../shared/client/variable-sets.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of a variable set with the names of what it is assigned to. */
export const variableSetQuery = (id: string) => apiQuery(showVariableSet(id));
