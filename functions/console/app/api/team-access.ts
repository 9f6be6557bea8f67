import { apiRequest } from '../../../../shared/client/request.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of the teams of an organization whose names contain a text. */
export const teamsQuery = (organization: string, search = '') =>
  apiQuery(
    apiRequest('get', '/api/v2/organizations/{organization_name}/teams', {
      path: { organization_name: organization },
      query: { q: search, 'page[size]': 100 },
    }),
  );
