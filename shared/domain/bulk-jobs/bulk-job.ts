import type { Principal } from '../directory/records.ts';

/** Bulk jobs: one change of many workspaces, with a preview (JOB-1). Times are milliseconds since the epoch. */

/** Actions of a job, each of which it takes for each workspace. `action-requests.ts` in `shared/resources/bulk-jobs` has the request of each. */
export const bulkActions = [
  'update',
  'move',
  'add-tags',
  'add-tag-bindings',
  'remove-tags',
  'set-variable',
  'delete-variable',
  'assign-variable-set',
  'unassign-variable-set',
  'lock',
  'unlock',
  'force-unlock',
  'safe-delete',
  'restore',
] as const;
export type BulkAction = (typeof bulkActions)[number];

/**
 * States of a job (JOB-3). Nothing changes before it is `active`; the last three are final.
 */
export const jobStatuses = ['preparing', 'ready', 'active', 'complete', 'failed', 'canceled'] as const;
export type JobStatus = (typeof jobStatuses)[number];
/** States of a job that has ended. */
export type FinalStatus = Extract<JobStatus, 'complete' | 'failed' | 'canceled'>;

const unfinished: readonly JobStatus[] = ['preparing', 'ready', 'active'];

/** Results of the preview of an item. */
export const previewOutcomes = ['changed', 'unchanged', 'refused'] as const;
export type PreviewOutcome = (typeof previewOutcomes)[number];

/** Results that a worker records for an item (JOB-8). */
export const recordedOutcomes = ['applied', 'unchanged', 'refused', 'conflict', 'failed', 'skipped'] as const;
export type RecordedOutcome = (typeof recordedOutcomes)[number];
/** Results of an item; it is `pending` until the worker has reached it or the job has ended. */
export const itemOutcomes = ['pending', ...recordedOutcomes] as const;
export type ItemOutcome = (typeof itemOutcomes)[number];

/** Circumstances that the preview of an item warns about. */
export const itemWarnings = ['locked', 'run-in-progress', 'version-older', 'version-older-than-state'] as const;
export type ItemWarning = (typeof itemWarnings)[number];

/** An error object of JSON:API, as the single request would have it. */
export interface ItemError {
  readonly status: string;
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer?: string; readonly parameter?: string };
}

/** A workspace of the selection. */
export interface SelectedWorkspace {
  readonly id: string;
  /** Null for an id that the caller may not read, or that does not exist. */
  readonly name: string | null;
  readonly warnings?: readonly ItemWarning[];
}

/** Preview of an item. */
export interface ItemPreview extends SelectedWorkspace {
  readonly outcome: PreviewOutcome;
  /** Old and new value of each attribute, by its name on the wire. */
  readonly changes?: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>;
  /** Error of a refused item. */
  readonly error?: ItemError;
  /** Entity tag of everything that the preview depended on; absent if the request itself decides (JOB-6). */
  readonly tag?: string;
  /** Id of the variable that the item changes; absent if it creates one. */
  readonly variable?: string;
}

/** Result of an item. */
export interface ItemResult {
  readonly outcome: RecordedOutcome;
  readonly error?: ItemError;
}

/** An item of a job, with its position among the items, from 0. */
export interface JobItem {
  readonly position: number;
  /** Absent until the item has been previewed. */
  readonly preview?: ItemPreview;
  readonly selected: SelectedWorkspace;
  readonly result?: ItemResult;
}

/** Whom a job acts for: a person, team or organization, and the token or session with which the job was started last. */
export interface JobCaller {
  readonly principal: Principal;
  /** Digest of the token, or the credential of a service principal. */
  readonly digest: string;
  /** Expiry of the token; absent if it never expires. */
  readonly tokenExpiresAt?: number;
  /** Latest end of the session of the token. */
  readonly sessionExpiresAt?: number;
}

/**
 * The workspaces of a job, as the request selects them: by ids, by the filters of a list with exceptions, or what
 * another job left.
 */
export type JobSelection =
  | { readonly ids: readonly string[] }
  | { readonly filter: Readonly<Record<string, unknown>>; readonly except?: readonly string[] }
  | { readonly job: string };

/** A bulk job. */
export interface BulkJob {
  /** `bulk-…` */
  readonly id: string;
  readonly organization: string;
  /** Id of the organization; a later organization can have its name. */
  readonly externalId: string;
  readonly action: BulkAction;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly selection: JobSelection;
  /** Items per second. */
  readonly rate: number;
  /** Number of items that may be refused or fail; null for the default, which depends on the number of items. */
  readonly maxFailures: number | null;
  readonly note: string | null;
  readonly caller: JobCaller;
  readonly status: JobStatus;
  /** Set anew by every change of the status, so that a job is applied in the state that was shown (JOB-5). */
  readonly revision: number;
  readonly createdAt: number;
  readonly readyAt?: number;
  readonly appliedAt?: number;
  /** Time at which an active job was canceled. It ends after the slice that is under way. */
  readonly canceledAt?: number;
  readonly endedAt?: number;
  /** Whether items with a warning are skipped. It is decided when the job is applied, because its preview has the warnings. */
  readonly skipWarned?: boolean;
  /** Why the job failed, or is about to fail. */
  readonly failure?: string;
  /** Number of items; absent until the selection has been resolved. */
  readonly total?: number;
  /** Number of slices that have been previewed, and of those that have been executed. */
  readonly prepared: number;
  readonly executed: number;
  readonly previews: Readonly<Record<PreviewOutcome | 'warned', number>>;
  /** Items by outcome, as the worker has recorded them. */
  readonly outcomes: Readonly<Record<RecordedOutcome, number>>;
  /** Entity tag of the variable set after the last slice that changed its assignments. */
  readonly tag?: string;
  readonly report?: { readonly sha256: string; readonly bytes: number };
}

/** Number of items that are read, previewed or executed together. Their outcomes are recorded in one transaction. */
export const SLICE = 25;

/** Returns whether a job has ended. */
export const hasEnded = ({ status }: Pick<BulkJob, 'status'>): boolean => !unfinished.includes(status);

/** Returns the number of slices of a job whose selection is resolved. */
export const slicesOf = ({ total = 0 }: Pick<BulkJob, 'total'>): number => Math.ceil(total / SLICE);

/** Returns the number of items that may be refused or fail before a job fails: by default 5 %, at least 20 (JOB-10). */
export const maxFailuresOf = ({ maxFailures, total = 0 }: Pick<BulkJob, 'maxFailures' | 'total'>): number =>
  maxFailures ?? Math.max(20, Math.floor(total / 20));

/** Returns the outcome of an item. What the worker has not reached when the job ends is skipped. */
export const outcomeOf = (job: Pick<BulkJob, 'status'>, { result }: Pick<JobItem, 'result'>): ItemOutcome =>
  result?.outcome ?? (hasEnded(job) ? 'skipped' : 'pending');

/** Counts the items of a job by outcome. The counts always add up to the number of items. */
export const countOutcomes = (job: BulkJob): Readonly<Record<ItemOutcome, number>> => {
  const { outcomes, total = 0 } = job;
  const recorded = recordedOutcomes.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const rest = total - recorded;
  return hasEnded(job) ? { pending: 0, ...outcomes, skipped: outcomes.skipped + rest } : { pending: rest, ...outcomes };
};

/** Returns whether something about a workspace is to be looked at before it is changed. */
export const isWarned = ({ warnings = [] }: Pick<SelectedWorkspace, 'warnings'>): boolean => warnings.length > 0;

/** Returns the number of items that count against the largest number of failures (JOB-10). */
export const countFailures = ({ outcomes: { refused, failed } }: Pick<BulkJob, 'outcomes'>): number => refused + failed;

/** Counts previews by outcome. */
export const countPreviews = (previews: readonly ItemPreview[]): BulkJob['previews'] => ({
  changed: previews.filter(({ outcome }) => outcome === 'changed').length,
  unchanged: previews.filter(({ outcome }) => outcome === 'unchanged').length,
  refused: previews.filter(({ outcome }) => outcome === 'refused').length,
  warned: previews.filter(isWarned).length,
});

/** Counts recorded results by outcome. */
export const countResults = (results: readonly ItemResult[]): BulkJob['outcomes'] =>
  Object.fromEntries(
    recordedOutcomes.map((name) => [name, results.filter(({ outcome }) => outcome === name).length]),
  ) as BulkJob['outcomes'];

/** Counts of a job without items. */
export const noPreviews = countPreviews([]);
export const noResults = countResults([]);

/** Returns the id of the request that a job sends for an item. It is the same each time, so that no item changes twice. */
export const itemRequestId = (job: string, part: string): string => `bulk:${job}:${part}`;

/** Returns the id of the job that sent a request; undefined for any other request. */
export const jobOfRequest = (request: string): string | undefined => /^bulk:(bulk-[^:]+):/.exec(request)?.[1];

/** Prefix of the credential of a job. It replaces the digest of a token, which is hexadecimal, so no client can send it. */
const PREFIX = 'job:';

/** Builds the credential with which a worker sends the requests of a job, and acts as its caller. */
export const jobCredential = (id: string): string => PREFIX + id;

/** Returns the id of the job of a credential; undefined for any other credential. */
export const actingJob = (credential: string): string | undefined =>
  credential.startsWith(PREFIX) ? credential.slice(PREFIX.length) : undefined;
