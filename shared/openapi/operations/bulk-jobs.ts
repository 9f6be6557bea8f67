import { itemOutcomes, previewOutcomes } from '../../domain/bulk-jobs/bulk-job.ts';
import { flag, oneOf } from '../../schemas/schema.ts';
import { cursorPage, type Group, one } from '../operation.ts';
import { bulkJob, bulkJobItem } from '../resources.ts';

export const bulkJobs = {
  name: 'Bulk jobs',
  description: 'One change of many workspaces, with a preview of each.',
  response: one(bulkJob),
  operations: {
    'bulk-jobs.list': {
      summary: 'List bulk jobs',
      description: 'The newest first: those of the caller, and all of them for callers who manage all workspaces.',
      rule: 'JOB-12',
      response: cursorPage(bulkJob),
    },
    'bulk-jobs.create': {
      summary: 'Create a bulk job',
      description:
        'Finds the selected workspaces once, and previews the change of each with the rights of the caller. Nothing changes until the job is applied.',
      rule: 'JOB-1',
      body: '`action` and `selection` are required. `selection` has either `ids` or `filter`, whose members are the query parameters of the list of workspaces as nested objects.',
    },
    'bulk-jobs.show': { summary: 'Show a bulk job', rule: 'JOB-12' },
    'bulk-jobs.list-items': {
      summary: 'List the items of a bulk job',
      description:
        'The workspaces that the caller may read. A page can have fewer items than requested, even none, and still a next page.',
      rule: 'JOB-8',
      query: {
        'filter[outcome]': oneOf(itemOutcomes, 'Only items with this outcome.'),
        'filter[preview-outcome]': oneOf(previewOutcomes, 'Only items whose preview has this outcome.'),
        'filter[warned]': flag('Only items with a warning, or without one.'),
      },
      response: cursorPage(bulkJobItem),
    },
    'bulk-jobs.apply': {
      summary: 'Apply a bulk job',
      description:
        'Starts the changes of a job that is ready. `If-Match` must have the entity tag of the job, so that what is applied is what was shown.',
      rule: 'JOB-5',
      body: 'With `skip-warned`, the items with a warning are skipped.',
      errors: {
        409: 'The job is not ready, or another job of the organization is active.',
        428: 'The request needs `If-Match` with the entity tag of the job.',
      },
    },
    'bulk-jobs.cancel': {
      summary: 'Cancel a bulk job',
      description: 'An active job ends after the workspaces that are under way, at most 25. The others stay unchanged.',
      rule: 'JOB-11',
      errors: { 409: 'The job has ended.' },
    },
    'bulk-jobs.retry': {
      summary: 'Retry what a bulk job has not changed',
      description: 'Creates a job of the workspaces that were not changed, with a new preview.',
      rule: 'JOB-14',
      errors: { 409: 'The job has not ended, or nothing is left.' },
    },
    'bulk-jobs.report': {
      summary: 'Download the report of a bulk job',
      description: 'Redirects to a file with one JSON object for each item.',
      rule: 'JOB-15',
      errors: { 403: 'The caller may no longer read each workspace of the job.', 404: 'The job has no report.' },
    },
  },
} satisfies Group;
