import {
  applyBulkJob,
  type BulkChange,
  type BulkJob,
  type BulkJobItem,
  createBulkJob,
  type ItemFilter,
  listBulkJobItems,
  showBulkJob,
} from '../../shared/client/bulk-jobs.ts';
import { withoutRepetitions } from '../../shared/client/compare.ts';
import { type Api, readByCursor } from './api.ts';
import { Failure, usageError } from './failure.ts';
import type { Invocation } from './invocation.ts';
import { canAsk } from './io.ts';
import { formatValue, withoutControls } from './output/format.ts';
import type { Json } from './output/view.ts';
import { flag, type ValuesOf } from './parameters.ts';

/** A bulk job with its entity tag, which its application names. */
export interface FoundJob {
  readonly job: BulkJob;
  readonly etag: string | undefined;
}

/** Time between two requests for the progress of a job, in milliseconds. */
const PAUSE = 1_000;
/** Number of items of a preview that are printed. */
const SHOWN_ITEMS = 20;

/** The flags of commands that create or apply a job. */
export const applyFlags = {
  yes: flag('Do not ask for confirmation.'),
  'skip-warned': flag('Leave out workspaces whose preview has a warning.'),
};
export const previewFlags = {
  ...applyFlags,
  'dry-run': flag('Show what would change, and change nothing. The job stays ready to be applied.'),
};

/** Routes of a job that is previewed, applied and watched. */
export const jobRoutes = ['bulk-jobs.show', 'bulk-jobs.list-items', 'bulk-jobs.apply'] as const;

/** Returns the number of workspaces with a word, such as `1 workspace`. */
const countWorkspaces = (count: number): string => `${count} ${count === 1 ? 'workspace' : 'workspaces'}`;

/** Describes counts other than 0, such as `3 changed, 1 refused`. */
export const describeCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
    .join(', ') || 'no workspaces';

/** Finds a job. @param read `api.send` for a result, `api.lookUp` for the preparation of another request. */
export const findJob = async (read: Api['send'], id: string): Promise<FoundJob> => {
  const { document, etag } = await read(showBulkJob(id));
  return { job: document.data, etag };
};

/** Reads the items of a job, by position. */
export const readItems = (read: Api['send'], id: string, filter?: ItemFilter): AsyncGenerator<BulkJobItem> =>
  readByCursor(read, (after) => listBulkJobItems(id, filter, after));

const describeProgress = ({ attributes }: BulkJob): string => {
  const { total, status, 'preview-counts': previews, 'outcome-counts': outcomes } = attributes;
  if (total === null) return 'Selecting workspaces';
  const { changed, unchanged, refused } = previews;
  const done = status === 'active' ? total - outcomes.pending : changed + unchanged + refused;
  return `${status === 'active' ? 'Changed' : 'Previewed'} ${done} of ${total}`;
};

const interruptionOf = (id: string, status: BulkJob['attributes']['status'] | undefined): string =>
  status === 'active'
    ? `The bulk job ${id} goes on. "holdfast job watch ${id}" watches it, and "holdfast job cancel ${id}" ends it.`
    : `Nothing was changed. "holdfast job apply ${id}" applies the bulk job, and "holdfast job cancel ${id}" ends it.`;

/** Waits while a job has one of some states. Ctrl-C ends only the waiting. */
const wait = async (invocation: Invocation, id: string, states: readonly string[]): Promise<FoundJob> => {
  const { io, api, note } = invocation;
  let status: BulkJob['attributes']['status'] | undefined = states.includes('active') ? 'active' : undefined;
  try {
    for (;;) {
      const found = await findJob(api.lookUp, id);
      ({ status } = found.job.attributes);
      if (!states.includes(status)) return found;
      io.progress(describeProgress(found.job));
      await io.wait(PAUSE, io.signal);
    }
  } catch (error) {
    if (io.signal.aborted) note(interruptionOf(id, status));
    throw error;
  } finally {
    io.progress('');
  }
};

/** Describes the changes of a preview, such as `infra-version 1.9.7 -> 1.9.8`. */
const describeChanges = ({ attributes: { changes } }: BulkJobItem): readonly string[] =>
  withoutRepetitions(
    Object.entries((changes ?? {}) as Readonly<Record<string, { readonly old: Json; readonly new: Json }>>).map(
      ([name, change]) => ({ name, ...change }),
    ),
  ).map((change) => `${change.name} ${formatValue(change.old) || 'none'} -> ${formatValue(change.new) || 'none'}`);

/** Describes an item of a preview. */
const describePreview = (item: BulkJobItem): string => {
  const { 'workspace-name': name, 'preview-outcome': outcome, warnings, error } = item.attributes;
  const facts = outcome === 'refused' ? [error?.detail ?? error?.title ?? ''] : describeChanges(item);
  const label = name ?? item.relationships.workspace.data.id;
  return `  ${[label, outcome, ...facts, ...warnings].join('  ')}`;
};

/** Reads the items of a preview that are not as requested already: first those that need a look. */
async function* readPreview(read: Api['send'], id: string): AsyncGenerator<BulkJobItem> {
  yield* readItems(read, id, { preview: 'refused' });
  yield* readItems(read, id, { warned: true });
  yield* readItems(read, id, { preview: 'changed', warned: false });
}

/** Reports the preview of a job on standard error: its counts, and its first items. */
const reportPreview = async (
  { api, io, isForProgram, note }: Invocation,
  { id, attributes }: BulkJob,
): Promise<void> => {
  if (isForProgram) return;
  note(`Bulk job ${id}: ${countWorkspaces(attributes.total ?? 0)}, ${describeCounts(attributes['preview-counts'])}.`);
  let shown = 0;
  for await (const item of readPreview(api.lookUp, id)) {
    shown += 1;
    if (shown > SHOWN_ITEMS) return note(`  and others. "holdfast job items ${id}" lists all of them.`);
    io.stderr.write(`${withoutControls(describePreview(item))}\n`);
  }
};

/** Waits for the preview of a job, and reports it. @throws Failure if there is none. */
export const previewJob = async (invocation: Invocation, id: string): Promise<FoundJob> => {
  const found = await wait(invocation, id, ['preparing']);
  const { status, failure } = found.job.attributes;
  if (status === 'failed') throw new Failure('failed', `The bulk job ${id} failed. ${failure ?? ''}`.trim());
  if (status === 'ready') await reportPreview(invocation, found.job);
  return found;
};

/** Waits until a job is ready or has ended. */
export const watchJob = (invocation: Invocation, id: string): Promise<FoundJob> =>
  wait(invocation, id, ['preparing', 'active']);

/**
 * Requires that somebody can confirm a preview. It is called before a job is created, so that nothing is left behind.
 * @throws Failure `usage`
 */
export const requireConfirmable = ({ io, isForProgram, isShown }: Invocation, isConfirmed: boolean): void => {
  if (isConfirmed || isShown || canAsk(io, isForProgram)) return;
  throw usageError('Nobody can confirm the preview here.', 'Add --yes.');
};

/** Applies a job whose preview was reported, and watches it. A job that would change nothing is left as it is. */
export const applyJob = async (
  invocation: Invocation,
  { job, etag }: FoundJob,
  { yes, 'skip-warned': skipWarned }: ApplyOptions,
): Promise<BulkJob> => {
  const { status, 'preview-counts': previews } = job.attributes;
  const count = previews.changed - (skipWarned ? previews.warned : 0);
  if (status === 'ready' && count === 0) return job;
  await invocation.confirm({ sentence: `Changes ${countWorkspaces(count)}.`, name: String(count), yes });
  await invocation.api.send(applyBulkJob(job.id, etag, skipWarned));
  return (await wait(invocation, job.id, ['active'])).job;
};

/** Whether a job is only previewed, and how it is applied. */
export type RunOptions = ValuesOf<typeof previewFlags>;
type ApplyOptions = ValuesOf<typeof applyFlags>;

/** Previews a job that a request creates, and applies it, unless only the preview is wanted. */
export const runJob = async (
  invocation: Invocation,
  create: () => Promise<{ readonly document: { readonly data: BulkJob } }>,
  options: RunOptions,
): Promise<BulkJob> => {
  const { document } = await create();
  const found = await previewJob(invocation, document.data.id);
  if (!options['dry-run']) return applyJob(invocation, found, options);
  const { id } = found.job;
  const applied = options['skip-warned'] ? `${id} --skip-warned` : id;
  invocation.note(
    `Nothing was changed. "holdfast job apply ${applied}" applies it, "holdfast job cancel ${id}" ends it.`,
  );
  return found.job;
};

/** Changes many workspaces with a job. */
export const changeMany = (
  invocation: Invocation,
  organization: string,
  change: BulkChange,
  options: RunOptions,
): Promise<BulkJob> => {
  requireConfirmable(invocation, options.yes || options['dry-run']);
  return runJob(invocation, () => invocation.api.send(createBulkJob(organization, change)), options);
};

/** Returns the number of workspaces of a job that a preview or the application has refused, or that were left out. */
export const countMissed = ({ attributes }: BulkJob): number => {
  const { status, 'preview-counts': previews, 'outcome-counts': outcomes } = attributes;
  if (status === 'ready') return previews.refused;
  return outcomes.refused + outcomes.conflict + outcomes.failed + outcomes.skipped;
};
