import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import { canReadEverything } from '../../shared/access/readable-workspaces.ts';
import { canRead } from '../../shared/access/rights.ts';
import { jobReportKey } from '../../shared/blob/blob-keys.ts';
import { findRights } from '../../shared/documents/find-rights.ts';
import {
  type BulkJob,
  countOutcomes,
  hasEnded,
  isWarned,
  itemOutcomes,
  type JobItem,
  outcomeOf,
  previewOutcomes,
} from '../../shared/domain/bulk-jobs/bulk-job.ts';
import type { Principal } from '../../shared/domain/directory/records.ts';
import { conflict, DomainError, notFound } from '../../shared/domain/errors.ts';
import { type OperationRequest, type Operations, Redirect } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { cursorLinks, readCursorPage } from '../../shared/jsonapi/pagination.ts';
import { newId } from '../../shared/lib/random.ts';
import { readFlags, readOneOf } from '../../shared/list-index/query-values.ts';
import { messages } from '../../shared/logging/log.ts';
import { visibleActor } from '../../shared/resources/actor.ts';
import { bulkJobItemResource, bulkJobResource } from '../../shared/resources/bulk-jobs/response.ts';
import type { Validator } from '../../shared/schemas/error-messages.ts';
import { jobExpiry } from '../../shared/store/bulk-jobs/bulk-job-items.ts';
import type { NewJob } from '../../shared/store/bulk-jobs/bulk-job-store.ts';
import { authorizeJob, type JobAccess, seesJob } from './authorize-job.ts';
import type { JobDependencies } from './dependencies.ts';
import { readLimits, readParameters, readSelection } from './read-request.ts';

type JobDependenciesWithValidators = JobDependencies & { readonly validators: Readonly<Record<string, Validator>> };

/** Lifetime of the URL of a report, in seconds. */
const REPORT_SECONDS = 300;
/** Slices that a request with a filter reads at most. */
const FILTERED_SLICES = 40;
/** Slices with at least as many items as the largest page. */
const PAGE_SLICES = 5;

const present = (access: Pick<OrganizationAccess, 'caller' | 'organization'>, job: BulkJob) =>
  bulkJobResource(
    job,
    visibleActor(job.caller.principal, (team) => seesTeam(access, { id: team, visibility: 'secret' })),
    jobExpiry(job.createdAt) * 1_000,
  );

/** Starts the worker. If that fails, the cleanup does so within two minutes. */
const startWorker = async ({ startWorker: start, logger }: JobDependencies, job: string): Promise<void> => {
  try {
    await start({ job });
  } catch (error) {
    logger.warn(messages.JOB_START_FAILED, { job, error: error as Error });
  }
};

/** Stores a new job, and starts its preparation. */
const prepare = async (
  dependencies: JobDependencies,
  { contextFor, digest }: Pick<OperationRequest<'bulk-jobs.create'>, 'contextFor' | 'digest'>,
  access: Pick<OrganizationAccess, 'caller' | 'organization'>,
  job: Omit<NewJob, 'id' | 'organization' | 'externalId' | 'caller'>,
): Promise<Document> => {
  const { jobs } = dependencies;
  const { caller, organization } = access;
  const request = contextFor(caller);
  const { principal } = caller;
  if (principal.kind === 'run' || principal.kind === 'site') {
    throw new DomainError('forbidden', 'Only users, teams and organizations can have bulk jobs.');
  }
  const created = await jobs.create(request, {
    ...job,
    id: newId('bulkJob', request),
    organization: organization.name,
    externalId: organization.externalId,
    caller: await jobs.describeCaller(principal, digest),
  });
  await startWorker(dependencies, created.id);
  return { data: present(access, created) };
};

/** Returns those of the items whose workspaces the caller may read, also deleted ones. */
const readableItems = async (
  { store }: JobDependencies,
  access: JobAccess,
  items: readonly JobItem[],
): Promise<readonly JobItem[]> => {
  if (items.length === 0 || canReadEverything(access.caller, access.organization)) return items;
  const workspaces = items.map(({ selected }) => selected.id);
  const rightsOn = await findRights(store, access, { workspaces, projects: [] });
  return items.filter(({ selected: { id, name } }) => {
    const rights = rightsOn('workspaces', id);
    // An id without a name was never readable; the caller of the job has sent it.
    return name === null || (rights !== undefined && canRead(rights));
  });
};

/** Returns the principal that applies a job, with the limits of the token that created it: they hold for its whole life (JOB-7). */
const withLimitsOf = (creator: Principal, principal: Principal): Principal =>
  creator.kind === 'team' && principal.kind === 'team' && creator.workload
    ? { ...principal, workload: creator.workload }
    : principal;

const CURSOR = /^\d{13}-bulk-\w+$/;

export const jobOperations = {
  /** `GET /organizations/:organization_name/bulk-jobs` (JOB-12). */
  'bulk-jobs.list': async ({ digest, parameters: { organization_name: name }, query, url }, { store, jobs }) => {
    const { size, after } = readCursorPage(query, (text) => CURSOR.test(text));
    const access = await authorizeOrganization(store, digest, { organization: name });
    const page = await jobs.list(name, size, after?.replace('-', '#'));
    const shown = page.jobs.filter((job) => seesJob(access, job));
    return { data: shown.map((job) => present(access, job)), ...cursorLinks(page.next?.replace('#', '-'), url, query) };
  },

  /** `POST /organizations/:organization_name/bulk-jobs` (JOB-1). */
  'bulk-jobs.create': async (request, dependencies) => {
    const { attributes } = request.body.data;
    const { action } = attributes;
    const parameters = readParameters(attributes, dependencies.validators);
    const selection = readSelection(attributes);
    const target = { organization: request.parameters.organization_name };
    const access = await authorizeOrganization(dependencies.store, request.digest, target);
    return prepare(dependencies, request, access, { action, parameters, selection, ...readLimits(attributes) });
  },

  /** `GET /bulk-jobs/:bulk_job_id` (JOB-12). */
  'bulk-jobs.show': async ({ digest, parameters: { bulk_job_id: id } }, dependencies) => {
    const access = await authorizeJob(dependencies, digest, id);
    return { data: present(access, access.record) };
  },

  /** `GET /bulk-jobs/:bulk_job_id/items` (JOB-8). */
  'bulk-jobs.list-items': async ({ digest, parameters: { bulk_job_id: id }, query, url }, dependencies) => {
    const { size, after } = readCursorPage(query, (text) => /^\d{1,6}$/.test(text));
    const [outcome] = readOneOf(query, 'filter[outcome]', itemOutcomes);
    const [previewed] = readOneOf(query, 'filter[preview-outcome]', previewOutcomes);
    const [warned] = readFlags(query, 'filter[warned]');
    const access = await authorizeJob(dependencies, digest, id);
    const { record: job } = access;
    const isFiltered = outcome !== undefined || previewed !== undefined || warned !== undefined;
    const slices = isFiltered ? FILTERED_SLICES : PAGE_SLICES;
    const { items, next } = await dependencies.jobs.readItems(job, Number(after ?? 0), slices);
    const matching = items.filter(
      (item) =>
        (outcome === undefined || outcomeOf(job, item) === outcome) &&
        (previewed === undefined || item.preview?.outcome === previewed) &&
        (warned === undefined || isWarned(item.selected) === warned),
    );
    const page = matching.slice(0, size);
    const following = matching[size]?.position ?? next;
    const readable = await readableItems(dependencies, access, page);
    return {
      data: readable.map((item) => bulkJobItemResource(job, item)),
      ...cursorLinks(following === undefined ? undefined : String(following), url, query),
    };
  },

  /** `POST /bulk-jobs/:bulk_job_id/actions/apply` (JOB-5). */
  'bulk-jobs.apply': async ({ contextFor, digest, parameters: { bulk_job_id: id }, body }, dependencies) => {
    const { jobs } = dependencies;
    const access = await authorizeJob(dependencies, digest, id, { isOwn: true });
    const { caller, record } = access;
    const request = contextFor(caller);
    if (request.precondition === undefined) {
      throw new DomainError(
        'precondition-required',
        'If-Match must have the entity tag of the bulk job, so that what is applied is what was shown.',
      );
    }
    const limited = withLimitsOf(record.caller.principal, caller.principal);
    const skipWarned = body?.['skip-warned'] ?? body?.data?.attributes?.['skip-warned'] ?? false;
    const started = await jobs.start(id, request, { caller: await jobs.describeCaller(limited, digest), skipWarned });
    await startWorker(dependencies, id);
    return { data: present(access, started) };
  },

  /** `POST /bulk-jobs/:bulk_job_id/actions/cancel` (JOB-11). */
  'bulk-jobs.cancel': async ({ contextFor, digest, parameters: { bulk_job_id: id } }, dependencies) => {
    const access = await authorizeJob(dependencies, digest, id);
    return { data: present(access, await dependencies.jobs.cancel(id, contextFor(access.caller))) };
  },

  /** `POST /bulk-jobs/:bulk_job_id/actions/retry` (JOB-14). */
  'bulk-jobs.retry': async (request, dependencies) => {
    const access = await authorizeJob(dependencies, request.digest, request.parameters.bulk_job_id, { isOwn: true });
    const { id, action, parameters, rate, maxFailures, note, total, ...job } = access.record;
    if (!hasEnded(job)) throw conflict(`The bulk job is ${job.status}. Only a job that has ended can be retried.`);
    const { applied, unchanged } = countOutcomes(access.record);
    if (total !== undefined && applied + unchanged >= total) throw conflict('The bulk job has left nothing to retry.');
    // A job that ended before it had found its workspaces is repeated as it was.
    const selection = total === undefined ? job.selection : { job: id };
    const retried = { action, parameters, rate, maxFailures, note, selection };
    return prepare(dependencies, request, access, retried);
  },

  /** `GET /bulk-jobs/:bulk_job_id/report` (JOB-15). */
  'bulk-jobs.report': async ({ digest, parameters: { bulk_job_id: id } }, dependencies) => {
    const access = await authorizeJob(dependencies, digest, id);
    const { record: job, caller, organization } = access;
    if (job.report === undefined) throw notFound('The bulk job has no report: it has not ended, or was never applied.');
    if (!canReadEverything(caller, organization)) {
      for await (const items of dependencies.jobs.readAllItems(job)) {
        const readable = await readableItems(dependencies, access, items);
        if (readable.length < items.length) {
          throw new DomainError(
            'forbidden',
            'The report names workspaces that you may no longer read. The items of the job show the others.',
          );
        }
      }
    }
    return new Redirect(await dependencies.bucket.downloadUrl(jobReportKey(id), undefined, REPORT_SECONDS));
  },
} satisfies Partial<Operations<'bulk-jobs', JobDependenciesWithValidators>>;
