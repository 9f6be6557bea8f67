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
 * Runs happen elsewhere; what is known of them is what runners report (RUN-1). Reports come in any order, late and
 * repeated, and whatever order it is, the same reports make the same run.
 */

/** The statuses of a run in the order of its life: of two at one time, the later in this list counts. */
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

/** After these nothing follows: a report of an earlier time, or of a clock that is ahead, does not bring it back. */
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

/** What a runner says of a run beside its status: each report says all of it. */
export interface RunDescription {
  readonly message: string | null;
  readonly source: string | null;
  readonly isDestroy: boolean;
  readonly autoApply: boolean;
  /** Null until it is planned. */
  readonly hasChanges: boolean | null;
  /** Only plans, and keeps the plan to be applied later. */
  readonly savePlan: boolean;
  /** That it works with; null where it is not known. */
  readonly configurationVersion: string | null;
}

export interface Run extends Described<RunStatus, RunDescription> {
  readonly id: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly timeline: Timeline<RunStatus>;
  /** It changes nothing. Once said not to be so, it is not. */
  readonly planOnly: boolean;
  /** The last that was told of its having errored or been applied: what counts in the figures of the workspace. */
  readonly ended?: RunMoment;
  /** Digests of the tokens that were made for it. */
  readonly tokens: readonly string[];
  /** It has had the workspace's lock, and never takes it again: who took it away meant to. */
  readonly hasLocked: boolean;
}

/** One report of a runner: that the run had a status from a time on. */
export interface RunReport extends RunMoment, Pick<Run, 'id' | 'workspace' | 'createdAt' | 'planOnly'> {
  readonly description: RunDescription;
  /** Digest of a token that the runner made for the run. */
  readonly token?: string | undefined;
}

const counts = ({ status }: RunMoment): boolean => status === 'errored' || status === 'applied';

/** A run with one more report, which may be one that it has already, or an old one. */
export const withReport = (known: Run | undefined, report: RunReport): Run => {
  const { id, workspace, createdAt, planOnly, status, at, description, token } = report;
  const moment: RunMoment = { status, at };
  const told = { description, described: moment };
  const ended = latestMoment(runStatuses, [known?.ended ?? [], counts(moment) ? moment : []].flat());
  return {
    id,
    workspace,
    // The latest that was told, so that it never falls behind a run that it was newer than.
    createdAt: Math.max(createdAt, known?.createdAt ?? createdAt),
    timeline: addMoment(known?.timeline ?? {}, moment),
    planOnly: planOnly && (known?.planOnly ?? true),
    ...(known === undefined ? told : laterDescription(runStatuses, known, told)),
    ...(ended && { ended }),
    tokens: [...new Set([...(known?.tokens ?? []), ...(token === undefined ? [] : [token])])].sort(),
    hasLocked: known?.hasLocked ?? false,
  };
};

const isFinalStatus = ({ status }: RunMoment): boolean => finalStatuses.has(status);

/** The status that a run has now: the last one, of those that end it if there are any. */
export const currentMoment = ({ timeline }: Pick<Run, 'timeline'>): RunMoment => {
  const all = listMoments(timeline);
  const ends = all.filter(isFinalStatus);
  return latestMoment(runStatuses, ends.length > 0 ? ends : all) as RunMoment;
};

export const isFinal = (run: Pick<Run, 'timeline'>): boolean => isFinalStatus(currentMoment(run));

const statusRank = (status: RunStatus): number => runStatuses.indexOf(status);

/** Whether a run has come to a status, or past it. */
const hasReached = ({ timeline }: Run, status: RunStatus): boolean =>
  listMoments(timeline).some((moment) => statusRank(moment.status) >= statusRank(status));

/**
 * Whether a run is to have the workspace's lock: from the start of its plan to its end, if it may change the state
 * (RUN-6). One that saves its plan does so only once that is confirmed.
 */
export const needsLock = (run: Run): boolean =>
  !run.hasLocked &&
  !run.planOnly &&
  !isFinal(run) &&
  hasReached(run, run.description.savePlan ? 'confirmed' : 'planning');

const begins = { plan: 'planning', apply: 'applying' } as const satisfies Record<string, RunStatus>;

/** From the beginning of a phase to whatever came next. */
const bounds = ({ timeline }: Run, phase: keyof typeof begins): { from?: number; next?: RunMoment } => {
  const from = timeline[begins[phase]];
  if (from === undefined) return {};
  const next = listMoments(timeline)
    .filter(({ status }) => statusRank(status) > statusRank(begins[phase]))
    .toSorted(byTime(runStatuses))[0];
  return { from, ...(next && { next: { ...next, at: Math.max(from, next.at) } }) };
};

/** How long a run was in a phase, in milliseconds; null where it never was, or still is. */
export const duration = (run: Run, phase: keyof typeof begins): number | null => {
  const { from, next } = bounds(run, phase);
  return from === undefined || next === undefined ? null : next.at - from;
};

export const phaseStatuses = ['pending', 'running', 'finished', 'errored', 'canceled', 'unreachable'] as const;

/** A run's plan, or its apply. Times are milliseconds since the epoch. */
export interface Phase {
  readonly status: (typeof phaseStatuses)[number];
  readonly startedAt?: number;
  readonly endedAt?: number;
}

export const computePhase = (run: Run, phase: keyof typeof begins): Phase => {
  const { from, next } = bounds(run, phase);
  // What a run that is over never came to, it never will.
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

/** Whether it was a policy that a run failed by: it was at its checks when it errored. */
export const hasFailedPolicy = ({ timeline, ended }: Run): boolean => {
  if (ended?.status !== 'errored') return false;
  const before = latestMoment(
    runStatuses,
    listMoments(timeline).filter(({ status }) => statusRank(status) < statusRank('applied')),
  );
  return before !== undefined && policyStatuses.has(before.status);
};
