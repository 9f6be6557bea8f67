import { type ItemFilter, listBulkJobItems, listBulkJobs, showBulkJob } from '../../../../shared/client/bulk-jobs.ts';
import { apiQuery, cursorPagesQuery } from './query-client.ts';

/** Builds the query of a bulk job with its entity tag. */
export const bulkJobQuery = (id: string) => apiQuery(showBulkJob(id));

/** Builds the query of the bulk jobs of an organization, newest first. */
export const bulkJobsQuery = (organization: string) =>
  cursorPagesQuery((after) => listBulkJobs(organization, after, 50));

/** Builds the query of the items of a bulk job. */
export const bulkJobItemsQuery = (id: string, filter: ItemFilter) =>
  cursorPagesQuery((after) => listBulkJobItems(id, filter, after));
