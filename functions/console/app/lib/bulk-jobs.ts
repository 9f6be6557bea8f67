import type { BulkAction, BulkJob, BulkJobItem, ItemFilter } from '../../../../shared/client/bulk-jobs.ts';
import type { BadgeKind } from '../components/badge.tsx';
import { formatValue } from './compare.ts';
import { toLabel } from './words.ts';

type Attributes = BulkJob['attributes'];
type ItemAttributes = BulkJobItem['attributes'];

/** Names of the API in words, with the looks of their badges. */
type Badges<N extends string> = Readonly<Record<N, { readonly kind: BadgeKind; readonly label: string }>>;

/** Actions of bulk jobs in words. */
export const actionLabels: Readonly<Record<BulkAction, string>> = {
  update: 'Edit settings',
  move: 'Move to a project',
  'add-tags': 'Add tags',
  'add-tag-bindings': 'Add tags',
  'remove-tags': 'Remove tags',
  'set-variable': 'Set a variable',
  'delete-variable': 'Delete a variable',
  'assign-variable-set': 'Assign a variable set',
  'unassign-variable-set': 'Remove a variable set',
  lock: 'Lock',
  unlock: 'Unlock',
  'force-unlock': 'Force-unlock',
  'safe-delete': 'Delete safely',
  restore: 'Restore',
};

/** Names a setting with its value, unless it has several. */
const describeSetting = ([name, value]: readonly [string, unknown]): string =>
  typeof value === 'object' && value !== null ? toLabel(name) : `${toLabel(name)} ${formatValue(value, name)}`;

/** Returns the tags among the parameters of a job, as `name` or `key=value`. */
export const tagsOf = (parameters: Attributes['parameters']): readonly string[] => {
  const { tags = [], 'tag-bindings': bindings = [] } = parameters as {
    readonly tags?: readonly string[];
    readonly 'tag-bindings'?: readonly { readonly key: string; readonly value?: string }[];
  };
  return [...tags, ...bindings.map(({ key, value }) => (value ? `${key}=${value}` : key))];
};

/** Names what a bulk job does, with the settings, tags or the key that it is about. */
export const titleOfJob = ({ action, parameters }: Pick<Attributes, 'action' | 'parameters'>): string => {
  const { key, ...settings } = parameters as Readonly<Record<string, unknown>>;
  const subjects = action === 'update' ? Object.entries(settings).map(describeSetting) : [key, ...tagsOf(parameters)];
  const subject = subjects.filter((one) => typeof one === 'string').join(', ');
  return subject === '' ? actionLabels[action] : `${actionLabels[action]}: ${subject}`;
};

/** Returns whether the title of a job has all of its values. */
export const isTitleComplete = ({ action, parameters }: Pick<Attributes, 'action' | 'parameters'>): boolean =>
  action === 'update'
    ? !Object.values(parameters as object).some((value) => typeof value === 'object' && value !== null)
    : ['add-tags', 'add-tag-bindings', 'remove-tags', 'delete-variable'].includes(action);

/** Statuses of bulk jobs in words. */
const jobStatuses: Badges<Attributes['status']> = {
  preparing: { kind: 'info', label: 'previewing' },
  ready: { kind: 'warning', label: 'to be confirmed' },
  active: { kind: 'info', label: 'changing' },
  complete: { kind: 'success', label: 'complete' },
  failed: { kind: 'danger', label: 'failed' },
  canceled: { kind: 'neutral', label: 'canceled' },
};

/** Outcomes of workspaces that a job should have changed, and did not. */
const failures = ['failed', 'refused', 'conflict'] as const satisfies readonly ItemAttributes['outcome'][];

/** Returns whether a workspace was to be changed, and could not be. */
export const isFailure = ({ outcome }: Pick<ItemAttributes, 'outcome'>): boolean =>
  failures.some((failure) => failure === outcome);

/** Returns the badge of a job. One that has ended says how many workspaces it could not change. */
export const statusOf = ({
  status,
  'outcome-counts': counts,
}: Attributes): (typeof jobStatuses)[Attributes['status']] => {
  const failed = failures.reduce((sum, outcome) => sum + counts[outcome], 0);
  return status === 'complete' && failed > 0
    ? { kind: 'danger', label: `${failed.toLocaleString()} failed` }
    : jobStatuses[status];
};

/** Returns why a workspace could not be changed, in words for people who do not know the request. */
export const errorInWords = ({ outcome, error }: ItemAttributes): string | undefined => {
  if (error === null) return undefined;
  if (outcome === 'conflict') return 'It has changed since the preview, and was left as it is.';
  return error.status === '404'
    ? 'It was deleted after it was chosen, or you may not do this to it.'
    : (error.detail ?? error.title);
};

/** Returns whether the service works on a job. */
export const isWorking = (job: BulkJob | undefined): boolean =>
  job !== undefined && ['preparing', 'active'].includes(job.attributes.status);

/** Returns whether a job shows its preview: nothing was changed yet. */
export const isPreview = ({ status }: Pick<Attributes, 'status'>): boolean => ['preparing', 'ready'].includes(status);

/** Outcomes of the preview of a workspace in words. */
export const previewOutcomes: Badges<NonNullable<ItemAttributes['preview-outcome']>> = {
  changed: { kind: 'info', label: 'will change' },
  unchanged: { kind: 'neutral', label: 'no change needed' },
  refused: { kind: 'warning', label: 'cannot change' },
};

/** Outcomes of a workspace in words, failures first. */
export const outcomes: Badges<ItemAttributes['outcome']> = {
  pending: { kind: 'neutral', label: 'waiting' },
  failed: { kind: 'danger', label: 'failed' },
  refused: { kind: 'danger', label: 'cannot change' },
  conflict: { kind: 'warning', label: 'changed meanwhile' },
  applied: { kind: 'success', label: 'changed' },
  unchanged: { kind: 'neutral', label: 'no change needed' },
  skipped: { kind: 'neutral', label: 'left out' },
};

/** Workspaces of a job with the same outcome. */
export interface OutcomeGroup {
  readonly name: string;
  readonly label: string;
  readonly count: number;
  /** Selects them among the items of the job. */
  readonly filter: ItemFilter;
}

const groupBy = <N extends string>(
  badges: Badges<N>,
  counts: Readonly<Record<N, number>>,
  filterOf: (name: N) => ItemFilter,
): readonly OutcomeGroup[] =>
  (Object.keys(badges) as N[])
    .map((name) => ({ name, label: badges[name].label, count: counts[name], filter: filterOf(name) }))
    .filter(({ count }) => count > 0);

/** Returns how many workspaces of a job have which outcome: that of the preview before anything is changed. */
export const outcomeGroups = (attributes: Attributes): readonly OutcomeGroup[] =>
  isPreview(attributes)
    ? groupBy(previewOutcomes, attributes['preview-counts'], (preview) => ({ preview }))
    : groupBy(outcomes, attributes['outcome-counts'], (outcome) => ({ outcome }));

/** Warnings of the preview of a workspace in words. */
export const warnings: Readonly<Record<ItemAttributes['warnings'][number], string>> = {
  locked: 'Locked by somebody who may be working with it. The lock does not prevent this change.',
  'run-in-progress': 'A run is in progress.',
  'version-older': 'Older than the present version.',
  'version-older-than-state': 'Older than the version that wrote the state, which it may not be able to read.',
};
