import { listConsumers } from '../../../../shared/client/consumers.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of one page of the consumers of a workspace. */
export const consumersQuery = (workspace: string, page: number) => apiQuery(listConsumers(workspace, page));
