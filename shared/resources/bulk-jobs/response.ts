import {
  type BulkJob,
  countOutcomes,
  type JobItem,
  maxFailuresOf,
  outcomeOf,
} from '../../domain/bulk-jobs/bulk-job.ts';
import { REVISED, type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { VisibleActor } from '../actor.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes, itemAttributes } from './attributes.ts';

const time = (at: number | undefined): string | null => (at === undefined ? null : timestamp(at));

/**
 * Builds the resource of a bulk job.
 * @param expiresAt time in milliseconds from which the job is no longer shown.
 */
export const bulkJobResource = (job: BulkJob, createdBy: VisibleActor, expiresAt: number): Resource => {
  const { id, selection, report } = job;
  return {
    id,
    [REVISED]: { id, revision: job.revision },
    type: 'bulk-jobs',
    attributes: {
      action: job.action,
      parameters: job.parameters,
      selection,
      rate: job.rate,
      'max-failures': maxFailuresOf(job),
      note: job.note,
      'skip-warned': job.skipWarned ?? false,
      status: job.status,
      'preview-counts': job.previews,
      'outcome-counts': countOutcomes(job),
      total: job.total ?? null,
      failure: job.failure ?? null,
      report: report ?? null,
      'created-by': createdBy,
      'created-at': timestamp(job.createdAt),
      'ready-at': time(job.readyAt),
      'applied-at': time(job.appliedAt),
      'canceled-at': time(job.canceledAt),
      'ended-at': time(job.endedAt),
      'expires-at': timestamp(expiresAt),
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      organization: toOne('organizations', job.organization),
      'retry-of': toOne('bulk-jobs', 'job' in selection ? selection.job : null),
    },
    links: { self: `${BASE_PATH}/bulk-jobs/${id}` },
  };
};

/** Builds the resource of an item of a bulk job. Its id is that of the job and its position. */
export const bulkJobItemResource = (job: BulkJob, item: JobItem): Resource => {
  const { position, selected, preview, result } = item;
  return {
    id: `${job.id}-${position}`,
    type: 'bulk-job-items',
    attributes: {
      position,
      'workspace-name': selected.name,
      'preview-outcome': preview?.outcome ?? null,
      changes: preview?.changes ?? {},
      warnings: selected.warnings ?? [],
      outcome: outcomeOf(job, item),
      error: result?.error ?? preview?.error ?? null,
    } satisfies ComputedValues<typeof itemAttributes>,
    relationships: { workspace: toOne('workspaces', selected.id) },
  };
};
