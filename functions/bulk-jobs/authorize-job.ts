import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../shared/access/authorize/record.ts';
import { mayIn } from '../../shared/access/organization-policy.ts';
import { workloadOf } from '../../shared/access/rights.ts';
import type { BulkJob } from '../../shared/domain/bulk-jobs/bulk-job.ts';
import type { Caller } from '../../shared/domain/directory/records.ts';
import { concealed } from '../../shared/domain/errors.ts';
import type { StoredJob } from '../../shared/store/bulk-jobs/bulk-job-items.ts';
import type { JobDependencies } from './dependencies.ts';

/** A bulk job, and the caller in its organization. */
export interface JobAccess extends OrganizationAccess {
  readonly record: StoredJob;
}

/**
 * Tells whether a job acts for the caller. A pipeline that is limited to some workspaces only has the jobs of its own workload
 * identity, because others can reach more.
 */
const isOwnJob = (caller: Caller, { caller: { principal: of } }: BulkJob): boolean => {
  const limit = workloadOf(caller)?.identity;
  const isSameLimit = limit === undefined || (of.kind === 'team' && of.workload?.identity === limit);
  const { principal } = caller;
  return principal.kind === of.kind && principal.id === of.id && isSameLimit;
};

/** Tells whether a caller sees a job (JOB-12): their own, and all of them if they manage all workspaces. */
export const seesJob = (access: Pick<OrganizationAccess, 'caller' | 'organization'>, job: BulkJob): boolean =>
  job.externalId === access.organization.externalId &&
  (isOwnJob(access.caller, job) || mayIn(access, 'bulk-job.read-all'));

/**
 * Finds a job for a caller who sees it.
 * @param isOwn whether it must act for the caller.
 * @throws DomainError 401, 404.
 */
export const authorizeJob = (
  { store, jobs }: JobDependencies,
  digest: string,
  id: string,
  { isOwn = false }: { readonly isOwn?: boolean } = {},
): Promise<JobAccess> =>
  authorizeRecord(
    store,
    digest,
    () => jobs.find(id),
    ({ record, ...access }) => {
      if (!seesJob(access, record)) throw concealed();
      if (isOwn && !isOwnJob(access.caller, record)) {
        throw concealed('Only the person, team or organization for which the job acts may do this.');
      }
    },
  );
