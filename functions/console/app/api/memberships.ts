import { apiRequest } from '../../../../shared/client/request.ts';
import { apiQuery } from './query-client.ts';

const LIST = '/api/v2/organizations/{organization_name}/organization-memberships';

/** Builds the query of the members whose names contain a text. */
export const membershipsQuery = (organization: string, search: string) =>
  apiQuery(
    apiRequest('get', LIST, { path: { organization_name: organization }, query: { q: search, 'page[size]': 100 } }),
  );
