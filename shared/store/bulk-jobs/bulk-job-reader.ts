import type { BulkJob, JobCaller, JobItem } from '../../domain/bulk-jobs/bulk-job.ts';
import { SLICE } from '../../domain/bulk-jobs/bulk-job.ts';
import type { Principal } from '../../domain/directory/records.ts';
import { actingTeam } from '../../domain/directory/tokens.ts';
import { isId } from '../../domain/ids.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, listPartition, NOTHING, prefixes } from '../dynamodb/keys.ts';
import { itemsOf, jobOf, type StoredJob } from './bulk-job-items.ts';

/** Number of slices that one call reads when all items are read. */
const SLICES_AT_ONCE = 100;

/** Opens the reads of the items of jobs. */
const openItemReads = (database: Database) => {
  /**
   * Reads items of a job from a position.
   * @param slices number of slices to read at most; fewer if they are large.
   * @returns the items, and the position of the next one; undefined after the last.
   */
  const readItems = async (
    job: Pick<BulkJob, 'id' | 'total'>,
    from: number,
    slices: number,
  ): Promise<{ readonly items: readonly JobItem[]; readonly next: number | undefined }> => {
    const { pk: partition, sk: first } = keys.jobSlice(job.id, Math.floor(from / SLICE));
    const until = `${prefixes.jobSlices}~`;
    const { items, next } = await database.page({
      partition,
      from: first,
      until,
      consistent: true,
      limit: 2 * slices,
    });
    const read = itemsOf(items);
    // The results of the last slice of a page may be on the next one.
    const isWhole = next === undefined || items.at(-1)?.['ty'] === 'bulk-job-results';
    const end = isWhole ? Number.POSITIVE_INFINITY : Math.floor((read.at(-1)?.position ?? 0) / SLICE) * SLICE;
    const { total = 0 } = job;
    // Slices beyond the end were written by a worker that was cut off while it resolved the selection.
    const within = read.filter(({ position }) => position >= from && position < Math.min(end, total));
    const following = (within.at(-1)?.position ?? from) + 1;
    return { items: within, next: next === undefined || following >= total ? undefined : following };
  };

  /** Reads all items of a job, by position, in pages. */
  async function* readAllItems(job: Pick<BulkJob, 'id' | 'total'>): AsyncGenerator<readonly JobItem[]> {
    for (let next: number | undefined = 0; next !== undefined; ) {
      const page = await readItems(job, next, SLICES_AT_ONCE);
      yield page.items;
      next = page.next;
    }
  }

  return { readItems, readAllItems };
};

/** Opens the reads of bulk jobs. They are strongly consistent, except lists. */
export const openJobReader = (database: Database) => ({
  find: async (id: string): Promise<StoredJob | undefined> => {
    const item = await database.get(isId('bulkJob', id) ? keys.bulkJob(id) : NOTHING, true);
    return item && jobOf(item);
  },

  /** Reads on what the authority of a caller depends (JOB-7). */
  describeCaller: async (principal: Principal, digest: string): Promise<JobCaller> => {
    const session = principal.kind === 'user' ? principal.session : undefined;
    const [token, owner] = await Promise.all([
      actingTeam(digest) === undefined ? database.get(keys.token(digest), true) : undefined,
      session === undefined ? undefined : database.get(keys.session(session), true),
    ]);
    const expiresAt = token?.['expiresAt'];
    return {
      principal,
      digest,
      ...(expiresAt !== undefined && { tokenExpiresAt: Number(expiresAt) }),
      ...(owner !== undefined && { sessionExpiresAt: Number(owner['expiresAt']) }),
    };
  },

  /** Reads a page of the jobs of an organization, newest first, with eventual consistency. @param after sort key, exclusive. */
  list: async (organization: string, limit: number, after: string | undefined) => {
    const page = { index: 'list', partition: listPartition.bulkJobs(organization), descending: true } as const;
    const range = after === undefined ? {} : { until: after };
    const { items } = await database.page({ ...page, ...range, limit: limit + 2 });
    const rows = items.filter(({ lk }) => lk !== after);
    const shown = rows.slice(0, limit);
    const found = await database.getAll(shown.map(({ id }) => keys.bulkJob(String(id))));
    const byId = new Map(found.map((item) => [String(item['id']), jobOf(item)]));
    return {
      jobs: shown.flatMap(({ id }) => byId.get(String(id)) ?? []),
      next: rows.length > limit ? String(shown.at(-1)?.['lk']) : undefined,
    };
  },

  ...openItemReads(database),
});

export type JobReader = ReturnType<typeof openJobReader>;
