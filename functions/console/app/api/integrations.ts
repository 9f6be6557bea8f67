import { listVcsConnections } from '../../../../shared/client/integrations.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of the VCS connections, up to the largest size of a page. */
export const vcsConnectionsQuery = (organization: string) => apiQuery(listVcsConnections(organization, 1, 100));
