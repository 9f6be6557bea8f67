import { type ApiRequest, apiRequest } from './request.ts';
import type { FiltersOf, InputOf, Schemas } from './types.ts';

export type BulkJob = Schemas['BulkJob'];
export type BulkJobItem = Schemas['BulkJobItem'];
export type BulkAction = BulkJob['attributes']['action'];
export type ItemOutcome = BulkJobItem['attributes']['outcome'];

const LIST = '/api/v2/organizations/{organization_name}/bulk-jobs';
const BY_ID = '/api/v2/bulk-jobs/{bulk_job_id}';
const ITEMS = '/api/v2/bulk-jobs/{bulk_job_id}/items';

/** The workspaces of a job: by their ids, or by the filters of their list as nested objects, with exceptions. */
export type BulkSelection =
  | { readonly ids: readonly string[] }
  | { readonly filter: Readonly<Record<string, unknown>>; readonly except?: readonly string[] };

/** Converts parameters of a list such as `filter[project][id]` to nested objects, as a selection has them. */
export const toNestedQuery = (query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const nested: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    const last = path.pop() ?? name;
    let place = nested;
    for (const part of path) {
      place[part] ??= {};
      place = place[part] as Record<string, unknown>;
    }
    place[last] = value;
  }
  return nested;
};

/** A change of many workspaces. */
export interface BulkChange {
  readonly action: BulkAction;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly selection: BulkSelection;
  readonly rate?: number | undefined;
  readonly 'max-failures'?: number | undefined;
  readonly note?: string | undefined;
}

type CreateBody = NonNullable<InputOf<'post', typeof LIST>['body']>;

/** Which items of a job are wanted: those with an outcome, with an outcome of their preview, with or without a warning. */
export interface ItemFilter {
  readonly outcome?: ItemOutcome | undefined;
  readonly preview?: BulkJobItem['attributes']['preview-outcome'] | undefined;
  readonly warned?: boolean | undefined;
}

const cursorQuery = (after: string | undefined, size: number) => ({
  'page[size]': size,
  ...(after !== undefined && { 'page[after]': after }),
});

/** Describes the creation of a bulk job, which starts its preview and changes nothing (JOB-1). */
export const createBulkJob = (organization: string, change: BulkChange) =>
  apiRequest('post', LIST, {
    path: { organization_name: organization },
    // The OpenAPI document leaves the members of the parameters and of a filter open.
    body: { data: { type: 'bulk-jobs', attributes: change } } as unknown as CreateBody,
  });

/** Describes the request of one page of the bulk jobs of an organization, newest first (JOB-12). */
export const listBulkJobs = (organization: string, after?: string, size = 100) =>
  apiRequest('get', LIST, { path: { organization_name: organization }, query: cursorQuery(after, size) });

/** Describes the request of a bulk job (JOB-12). */
export const showBulkJob = (id: string) => apiRequest('get', BY_ID, { path: { bulk_job_id: id } });

/** Describes the request of one page of the items of a bulk job (JOB-8). */
export const listBulkJobItems = (
  id: string,
  { outcome, preview, warned }: ItemFilter = {},
  after?: string,
  size = 100,
) => {
  const filter = {
    'filter[outcome]': outcome,
    'filter[preview-outcome]': preview,
    'filter[warned]': warned,
  } satisfies Record<FiltersOf<typeof ITEMS>, unknown>;
  return apiRequest('get', ITEMS, {
    path: { bulk_job_id: id },
    query: { ...filter, ...cursorQuery(after, size) } as NonNullable<InputOf<'get', typeof ITEMS>['query']>,
  });
};

/** Describes the application of a bulk job in the state that was shown (JOB-5), with or without the items that have a warning. */
export const applyBulkJob = (id: string, ifMatch: string | undefined, skipWarned = false) =>
  apiRequest(
    'post',
    '/api/v2/bulk-jobs/{bulk_job_id}/actions/apply',
    { path: { bulk_job_id: id }, ...(skipWarned && { body: { 'skip-warned': true } }) },
    { ifMatch },
  );

/** Describes the cancellation of a bulk job (JOB-11). */
export const cancelBulkJob = (id: string) =>
  apiRequest('post', '/api/v2/bulk-jobs/{bulk_job_id}/actions/cancel', { path: { bulk_job_id: id } });

/** Describes the creation of a bulk job of what another one has not changed (JOB-14). */
export const retryBulkJob = (id: string) =>
  apiRequest('post', '/api/v2/bulk-jobs/{bulk_job_id}/actions/retry', { path: { bulk_job_id: id } });

/** Describes the download of the report of a bulk job (JOB-15). */
export const downloadJobReport = (id: string): ApiRequest =>
  apiRequest('get', '/api/v2/bulk-jobs/{bulk_job_id}/report', { path: { bulk_job_id: id } }, { isRedirected: true });
