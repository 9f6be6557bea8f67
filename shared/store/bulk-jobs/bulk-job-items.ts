import type { BulkJob, ItemPreview, ItemResult, JobItem, SelectedWorkspace } from '../../domain/bulk-jobs/bulk-job.ts';
import { SLICE } from '../../domain/bulk-jobs/bulk-job.ts';
import { type Item, prefixes } from '../dynamodb/keys.ts';
import { JOB_DAYS } from '../dynamodb/table-definition.ts';
import { withoutKeys } from '../items/directory-items.ts';

/** Returns the expiry of the items of a job, in seconds. @param createdAt milliseconds. */
export const jobExpiry = (createdAt: number): number => Math.ceil(createdAt / 1_000) + JOB_DAYS * 24 * 60 * 60;

/** A job, and the worker that holds it. */
export interface StoredJob extends BulkJob {
  /** Id of the invocation of the worker that prepares or executes it. */
  readonly worker?: string;
  /** Time until which no other worker takes it, in milliseconds. */
  readonly leaseUntil?: number;
}

/** Converts a stored item to a job. */
export const jobOf = (item: Item): StoredJob => {
  const { ttl: _, org, ...job } = withoutKeys(item);
  return { ...job, organization: org } as unknown as StoredJob;
};

const positionOf = (item: Item): number => Number(String(item['sk']).slice(prefixes.jobSlices.length).split('#')[0]);

/** Converts the items of slices, with the previews of each before its results, to the items of a job. */
export const itemsOf = (stored: readonly Item[]): JobItem[] => {
  const results = new Map(
    stored.flatMap((item) =>
      item['ty'] === 'bulk-job-results' ? [[positionOf(item), item['results'] as readonly ItemResult[]] as const] : [],
    ),
  );
  return stored.flatMap((item) => {
    if (item['ty'] !== 'bulk-job-slice') return [];
    const slice = positionOf(item);
    const isPreviewed = item['previewed'] === true;
    return (item['items'] as readonly (SelectedWorkspace | ItemPreview)[]).map((one, index): JobItem => {
      const result = results.get(slice)?.[index];
      return {
        position: slice * SLICE + index,
        selected: one,
        ...(isPreviewed && { preview: one as ItemPreview }),
        ...(result && { result }),
      };
    });
  });
};
