import {
  addMoment,
  byTime,
  type Described,
  laterDescription,
  latestMoment,
  listMoments,
  type Moment,
  type Timeline,
} from './timeline.ts';

/**
 * Statuses of a run in the order of its life cycle (RUN-1). If two statuses have the same time, the one later in this
 * list counts.
 */
export const runStatuses = [
  'pending',
  'fetching',
  'fetching_completed',
  'pre_plan_running',
  'pre_plan_awaiting_decision',
  'pre_plan_completed',
  'queuing',
  'plan_queued',
  'planning',
  'planned',
  'post_plan_running',
  'post_plan_awaiting_decision',
  'post_plan_completed',
  'cost_estimating',
  'cost_estimated',
  'policy_checking',
  'tf_policy_checked',
  'tf_policy_override',
  'policy_override',
  'policy_checked',
  'planned_and_saved',
  'confirmed',
  'pre_apply_running',
  'pre_apply_completed',
  'queuing_apply',
  'apply_queued',
  'applying',
  'post_apply_running',
  'post_apply_completed',
  'assessing',
  'assessed',
  'planned_and_finished',
  'policy_soft_failed',
  'applied',
  'discarded',
  'errored',
  'canceled',
  'force_canceled',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Final statuses. A late report, or one of a clock that is ahead, does not reopen a run. */
const finalStatuses: ReadonlySet<RunStatus> = new Set([
  'planned_and_finished',
  'policy_soft_failed',
  'applied',
  'discarded',
  'errored',
  'canceled',
  'force_canceled',
]);

type RunMoment = Moment<RunStatus>;

/** Attributes of a run without its status. Each report contains all of them. */
export interface RunDescription {
  readonly message: string | null;
  readonly source: string | null;
  readonly isDestroy: boolean;
  readonly autoApply: boolean;
  /** Null until the run is planned. */
  readonly hasChanges: boolean | null;
  /** Whether the plan is saved, to be applied after a confirmation. */
  readonly savePlan: boolean;
  /** Id of the configuration version that the run uses; null if it is not known. */
  readonly configurationVersion: string | null;
}

/** A run, merged from the reports of its runner. Runs are executed elsewhere (RUN-1). */
export interface Run extends Described<RunStatus, RunDescription> {
  readonly id: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly timeline: Timeline<RunStatus>;
  /** Whether the run changes nothing. It is false for good once a report says false. */
  readonly planOnly: boolean;
  /** Latest report that the run errored or was applied. It counts for the metrics of the workspace. */
  readonly ended?: RunMoment;
  /** SHA-256 digests of the tokens that were created for the run. */
  readonly tokens: readonly string[];
  /** Whether the run has ever held the lock. It never takes the lock again, so that a forced unlock lasts. */
  readonly hasLocked: boolean;
}

/** One report of a runner: the run reached a status at a time. */
export interface RunReport extends RunMoment, Pick<Run, 'id' | 'workspace' | 'createdAt' | 'planOnly'> {
  readonly description: RunDescription;
  /** SHA-256 digest of a token that the runner created for the run. */
  readonly token?: string | undefined;
}

const counts = ({ status }: RunMoment): boolean => status === 'errored' || status === 'applied';

/**
 * Merges a report into a run. Repeated and old reports are allowed.
 * @param known undefined for the first report.
 */
export const withReport = (known: Run | undefined, report: RunReport): Run => {
  const { id, workspace, createdAt, planOnly, status, at, description, token } = report;
  const moment: RunMoment = { status, at };
  const reported = { description, described: moment };
  const ended = latestMoment(runStatuses, [known?.ended ?? [], counts(moment) ? moment : []].flat());
  return {
    id,
    workspace,
    // The latest reported time, so that a run never becomes older than a run that it was newer than.
    createdAt: Math.max(createdAt, known?.createdAt ?? createdAt),
    timeline: addMoment(known?.timeline ?? {}, moment),
    planOnly: planOnly && (known?.planOnly ?? true),
    ...(known === undefined ? reported : laterDescription(runStatuses, known, reported)),
    ...(ended && { ended }),
    tokens: [...new Set([...(known?.tokens ?? []), ...(token === undefined ? [] : [token])])].sort(),
    hasLocked: known?.hasLocked ?? false,
  };
};

const isFinalStatus = ({ status }: RunMoment): boolean => finalStatuses.has(status);

/** Returns the current status of a run and its time: the latest final status, else the latest status. */
export const currentMoment = ({ timeline }: Pick<Run, 'timeline'>): RunMoment => {
  const all = listMoments(timeline);
  const ends = all.filter(isFinalStatus);
  return latestMoment(runStatuses, ends.length > 0 ? ends : all) as RunMoment;
};

/** Tells whether a run has ended. */
export const isFinal = (run: Pick<Run, 'timeline'>): boolean => isFinalStatus(currentMoment(run));

const statusRank = (status: RunStatus): number => runStatuses.indexOf(status);

/** Tells whether a run has reached a status or a later one. */
const hasReached = ({ timeline }: Run, status: RunStatus): boolean =>
  listMoments(timeline).some((moment) => statusRank(moment.status) >= statusRank(status));

/**
 * Tells whether a run needs the lock of its workspace (RUN-6): from the start of its plan to its end, if it may change the
 * state. A run that saves its plan needs the lock only after the confirmation.
 */
export const needsLock = (run: Run): boolean =>
  !run.hasLocked &&
  !run.planOnly &&
  !isFinal(run) &&
  hasReached(run, run.description.savePlan ? 'confirmed' : 'planning');

const begins = { plan: 'planning', apply: 'applying' } as const satisfies Record<string, RunStatus>;

/** Returns the start of a phase and the first moment after it. */
const bounds = ({ timeline }: Run, phase: keyof typeof begins): { from?: number; next?: RunMoment } => {
  const from = timeline[begins[phase]];
  if (from === undefined) return {};
  const next = listMoments(timeline)
    .filter(({ status }) => statusRank(status) > statusRank(begins[phase]))
    .toSorted(byTime(runStatuses))[0];
  return { from, ...(next && { next: { ...next, at: Math.max(from, next.at) } }) };
};

/** Returns the duration of a phase in milliseconds; null if it has not started or not ended. */
export const duration = (run: Run, phase: keyof typeof begins): number | null => {
  const { from, next } = bounds(run, phase);
  return from === undefined || next === undefined ? null : next.at - from;
};

/** Statuses of a plan or an apply. */
export const phaseStatuses = ['pending', 'running', 'finished', 'errored', 'canceled', 'unreachable'] as const;

/** The plan or the apply of a run. Times are milliseconds since the epoch. */
export interface Phase {
  readonly status: (typeof phaseStatuses)[number];
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** Computes the status and times of a phase from the timeline of its run. */
export const computePhase = (run: Run, phase: keyof typeof begins): Phase => {
  const { from, next } = bounds(run, phase);
  // A phase that has not started when the run ends never starts.
  if (from === undefined) return { status: isFinal(run) ? 'unreachable' : 'pending' };
  if (next === undefined) return { status: 'running', startedAt: from };
  const ends: { readonly [S in RunStatus]?: Phase['status'] } = {
    errored: 'errored',
    canceled: 'canceled',
    force_canceled: 'canceled',
  };
  return { status: ends[next.status] ?? 'finished', startedAt: from, endedAt: next.at };
};

const policyStatuses: ReadonlySet<RunStatus> = new Set([
  'policy_checking',
  'policy_override',
  'policy_soft_failed',
  'tf_policy_override',
]);

/** Tells whether a run failed because of a policy: its last status before the error was a policy status. */
export const hasFailedPolicy = ({ timeline, ended }: Run): boolean => {
  if (ended?.status !== 'errored') return false;
  const before = latestMoment(
    runStatuses,
    listMoments(timeline).filter(({ status }) => statusRank(status) < statusRank('applied')),
  );
  return before !== undefined && policyStatuses.has(before.status);
};
