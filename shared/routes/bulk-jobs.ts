import { BASE_PATH } from './api.ts';
import { ORGANIZATION, optional, type Routes, required, routesOf } from './route.ts';

const { get, post } = routesOf('bulk-jobs');
const ofOrganization = `${ORGANIZATION}/bulk-jobs` as const;
const one = `${BASE_PATH}/bulk-jobs/{bulk_job_id}` as const;

/** Bulk jobs: one change of many workspaces (docs/reference/bulk-jobs.md). */
export const bulkJobs = {
  'bulk-jobs.list': get(ofOrganization, 200),
  'bulk-jobs.create': post(ofOrganization, 202, { body: required('bulkJob') }),
  'bulk-jobs.show': get(one, 200),
  'bulk-jobs.list-items': get(`${one}/items`, 200),
  'bulk-jobs.apply': post(`${one}/actions/apply`, 202, { conditional: true, body: optional('bulkJobApplication') }),
  'bulk-jobs.cancel': post(`${one}/actions/cancel`, 202),
  'bulk-jobs.retry': post(`${one}/actions/retry`, 202),
  'bulk-jobs.report': get(`${one}/report`, 307),
} satisfies Routes;
