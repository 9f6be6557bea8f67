import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { restorableWorkspaces } from '../../shared/access/restorable-workspaces.ts';
import {
  type BulkJob,
  type ItemWarning,
  jobCredential,
  outcomeOf,
  type SelectedWorkspace,
} from '../../shared/domain/bulk-jobs/bulk-job.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import { now } from '../../shared/lib/clock.ts';
import { readFilter } from '../../shared/list-index/filters.ts';
import { toQuery } from '../../shared/list-index/nested-query.ts';
import type { Row } from '../../shared/list-index/row.ts';
import type { Selection } from '../../shared/list-index/selection.ts';
import type { WorkerDependencies } from './dependencies.ts';

/** Statuses in which a run is over. */
const ended: ReadonlySet<string> = new Set([
  'applied',
  'planned_and_finished',
  'planned_and_saved',
  'discarded',
  'errored',
  'canceled',
  'force_canceled',
  'policy_soft_failed',
]);

const warningsOf = ({ lockedAt, runStatus }: Row): readonly ItemWarning[] => [
  ...(lockedAt === null ? [] : (['locked'] as const)),
  ...(runStatus === null || ended.has(runStatus) ? [] : (['run-in-progress'] as const)),
];

const selectedOf = (row: Row): SelectedWorkspace => {
  const warnings = warningsOf(row);
  return { id: row.id, name: row.name, ...(warnings.length > 0 && { warnings }) };
};

/** Reads the ids of the items that another job has not changed. */
const leftBy = async ({ jobs }: WorkerDependencies, id: string): Promise<string[]> => {
  const job = await jobs.find(id);
  if (job === undefined)
    throw new DomainError('conflict', `The bulk job ${id}, which this one retries, is no longer stored.`);
  const left: string[] = [];
  for await (const items of jobs.readAllItems(job)) {
    for (const item of items) {
      if (!['applied', 'unchanged'].includes(outcomeOf(job, item))) left.push(item.selected.id);
    }
  }
  return left;
};

/**
 * Finds the workspaces that a job selects, once, with the rights of its caller (JOB-4). Names of workspaces that the caller may
 * not read stay unknown; the preview of such an item is that of an unknown workspace.
 * @throws DomainError 401 or 404 if the caller has no access any more; 409 for too many workspaces.
 */
export const selectWorkspaces = async (
  dependencies: WorkerDependencies,
  job: BulkJob,
): Promise<readonly SelectedWorkspace[]> => {
  const { store } = dependencies;
  const { organization: name, selection, action } = job;
  const query = 'filter' in selection ? toQuery(selection.filter) : new URLSearchParams();
  const filter = readFilter(query);
  const [{ caller, organization }, , releases] = await Promise.all([
    authorizeOrganization(store, jobCredential(job.id), { organization: name }),
    store.listIndexes.refresh(name),
    filter.needsReleases ? store.releases.find() : [],
  ]);
  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization);
  const { defaultExecutionMode, defaultDeletionProtection = false } = organization;
  const context = { organization: { defaultExecutionMode, defaultDeletionProtection }, releases };
  const all = {
    reading,
    order: 'name',
    direction: 'ascending',
    from: 0,
    to: limits.jobItems + limits.jobIds + 1,
  } as const;
  const select = (selected: Partial<Selection>) => listIndex.select({ ...all, ...selected }).rows.map(selectedOf);

  const readDeleted = async (): Promise<readonly SelectedWorkspace[]> => {
    const rows = restorableWorkspaces(listIndex, { caller, organization }).rows(now());
    const found = await store.workspaces.findAll(rows.map(({ id }) => ({ id, hasLongText: false })));
    const names = new Map(found.map((workspace) => [workspace.id, workspace.name]));
    return rows.map(({ id }) => ({ id, name: names.get(id) ?? null }));
  };

  const candidates = action === 'restore' ? await readDeleted() : undefined;
  if ('filter' in selection) {
    const exceptions = new Set(selection.except);
    return requireFew((candidates ?? select({ filter, context })).filter(({ id }) => !exceptions.has(id)));
  }
  const ids = 'ids' in selection ? selection.ids : await leftBy(dependencies, selection.job);
  const byId = new Map((candidates ?? select({ among: ids })).map((selected) => [selected.id, selected]));
  return ids.map((id) => byId.get(id) ?? { id, name: null });
};

const requireFew = (selected: readonly SelectedWorkspace[]): readonly SelectedWorkspace[] => {
  if (selected.length <= limits.jobItems) return selected;
  throw new DomainError('conflict', `The selection has more than ${limits.jobItems} workspaces. Narrow the filter.`);
};
