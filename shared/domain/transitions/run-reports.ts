import { isDeepStrictEqual } from 'node:util';
import type { ChangeType } from '../changes/change-records.ts';
import { absent, all, type Condition, equals, merge } from '../changes/conditions.ts';
import { conflict, type DomainError, notFound } from '../errors.ts';
import {
  type ConfigurationReport,
  type ConfigurationVersion,
  configurationStatus,
  cutReadme,
  isUsable,
  withConfigurationReport,
} from '../runs/configuration-versions.ts';
import { currentMoment, isFinal, needsLock, type Run, type RunReport, withReport } from '../runs/run.ts';
import {
  computeRunMetrics,
  type FinishedRun,
  finishedRun,
  type RunMetrics,
  withFinished,
} from '../runs/run-metrics.ts';
import { isNewer } from '../runs/timeline.ts';
import { isAlive, type ReadmeSource, type Workspace } from '../workspace/workspace-record.ts';
import { createLock, setLock } from './locks/lock.ts';
import { endLock } from './locks/unlock.ts';
import { ALIVE, type RequestContext, type Step } from './transition.ts';

/**
 * Effects of a report on the workspace: the newest run becomes the current one, finished runs count for the metrics, and
 * a run that may change the state holds the lock until it ends (RUN-6). The write that merges the report also sets or
 * removes the lock, under the same conditions as a lock request.
 */

/** Tokens of one run: of its phases, and of those that were started again. */
const MOST_TOKENS = 8;

/**
 * Returns the workspace that a report is about.
 * @param organization name that the report gives as the organization of the workspace.
 * @throws DomainError 404 if it does not exist or belongs to another organization.
 */
export const requireReported = (organization: string, id: string, workspace: Workspace | undefined): Workspace => {
  if (!isAlive(workspace)) throw notFound(`There is no workspace ${id}.`);
  if (workspace.organization !== organization) throw notFound(`The workspace ${id} is not one of ${organization}.`);
  return workspace;
};

/** Creates the 409 error for an id or a token in a report that belongs to something else. */
export const claimTaken = (what: string): DomainError => conflict(`There is something else already with ${what}.`);

/** Writes of one transaction: the step of the workspace, the run and, if it changes, the run window. */
export interface RunPlan {
  /** Type of the change record. */
  readonly type: ChangeType;
  readonly step: Step;
  readonly run: Run;
  readonly window?: readonly FinishedRun[];
}

/** Returns the attributes that differ from the image. An unchanged attribute would cost a write to the list index. */
const pickChanged = (image: Workspace, set: Partial<Workspace>): Partial<Workspace> =>
  Object.fromEntries(
    Object.entries(set).filter(([name, value]) => !isDeepStrictEqual(value, image[name as keyof Workspace])),
  );

/** Condition that the current run has not changed since it was read. */
const asRead = ({ run, runAt = 0 }: Workspace): Condition =>
  run === undefined ? absent('run') : all(equals('run.id', run.id), equals('runAt', runAt));

const currentRun = (image: Workspace, run: Run): Step => {
  const { id, createdAt, description } = run;
  const current = image.run && { id: image.run.id, createdAt: image.runAt ?? 0 };
  if (current !== undefined && current.id !== id && !isNewer(run, current)) return { condition: all(), change: {} };
  const set = pickChanged(image, {
    run: { id, configurationVersion: description.configurationVersion },
    runAt: createdAt,
    runStatus: currentMoment(run).status,
  });
  return { condition: asRead(image), change: { set } };
};

/** Counts a new run, unless the workspace has runs that were never counted. */
const runCountChange = ({ run, runCount }: Workspace, isNew: boolean): Step['change'] => {
  if (!isNew) return {};
  if (run === undefined) return { set: { runCount: 1 } };
  return runCount === undefined ? {} : { add: { runCount: 1 } };
};

const runMetricsChange = (image: Workspace, window: readonly FinishedRun[] | undefined): Step['change'] =>
  window === undefined
    ? {}
    : { set: pickChanged(image, { runMetrics: computeRunMetrics(window) satisfies RunMetrics }) };

/**
 * Plans the effects of a report of a run (RUN-1).
 * @param known the run and the run window as stored.
 * @param request request whose principal is the run: it becomes the holder of the lock.
 * @returns undefined if the report changes nothing.
 * @throws DomainError 409 if the run has too many tokens.
 */
export const planRunReport = (
  image: Workspace,
  known: { readonly run: Run | undefined; readonly window: readonly FinishedRun[] },
  report: RunReport,
  request: RequestContext,
  now: number,
): RunPlan | undefined => {
  const merged = withReport(known.run, report);
  const takesLock = needsLock(merged) && image.lock === undefined;
  const run = takesLock ? { ...merged, hasLocked: true } : merged;
  const held = image.lock;
  const lockOfRun = held?.kind === 'Run' && held.by === run.id && isFinal(run) ? held : undefined;
  if (isDeepStrictEqual(run, known.run) && lockOfRun === undefined) return undefined;
  if (run.tokens.length > MOST_TOKENS) throw conflict(`${run.id} has more than ${MOST_TOKENS} tokens.`);

  const finished = finishedRun(run);
  const counted = finished && withFinished(known.window, finished);
  const window = counted === undefined || isDeepStrictEqual(counted, known.window) ? undefined : counted;
  const current = currentRun(image, run);
  const locking: Step | undefined = takesLock
    ? setLock(image, createLock(request, { id: run.id, reason: '', at: now }))
    : lockOfRun && endLock(image, lockOfRun, request.id);
  const step: Step = {
    ...locking,
    condition: all(ALIVE, current.condition, locking?.condition ?? all()),
    change: merge(
      current.change,
      runCountChange(image, known.run === undefined),
      runMetricsChange(image, window),
      locking?.change ?? {},
    ),
    run: { id: run.id, status: currentMoment(run).status },
    ...(isFinal(run) && (known.run === undefined || !isFinal(known.run)) && { endsRun: true }),
    isActivity: true,
  };
  const type = takesLock ? 'workspace.locked' : lockOfRun ? 'workspace.unlocked' : 'workspace.run-updated';
  return { type, step, run, ...(window && { window }) };
};

/** Writes of one transaction: the step of the workspace, the configuration version and, if it changes, the README. */
export interface ConfigurationPlan {
  readonly step: Step;
  readonly configurationVersion: ConfigurationVersion;
  /** New README.md of the workspace. */
  readonly readme?: string;
}

const currentConfiguration = (image: Workspace, version: ConfigurationVersion): Step => {
  const { id, createdAt } = version;
  const current = image.configurationVersion;
  const isCurrent =
    current === undefined || current.id === id || isNewer(version, { id: current.id, createdAt: current.at });
  if (!isUsable(version) || !isCurrent) return { condition: all(), change: {} };
  return {
    condition: current === undefined ? absent('configurationVersion') : equals('configurationVersion.id', current.id),
    change: { set: pickChanged(image, { configurationVersion: { id, at: createdAt } }) },
  };
};

/** Tells whether a report contains a newer README than the stored one. Plan-only versions do not count. */
const bringsReadme = (
  { readme: shown }: Workspace,
  { id, createdAt, at, speculative, readme }: ConfigurationReport,
) => {
  if (readme === undefined || speculative) return false;
  if (shown === undefined) return true;
  const one = { id, createdAt };
  const other = { id: shown.configurationVersion, createdAt: shown.createdAt };
  return isNewer(one, other) || (!isNewer(other, one) && at > shown.at);
};

const readmeStep = (image: Workspace, report: ConfigurationReport): Step => {
  if (!bringsReadme(image, report)) return { condition: all(), change: {} };
  const { id: configurationVersion, createdAt, at } = report;
  const readme: ReadmeSource = { configurationVersion, createdAt, at };
  const { readme: shown } = image;
  return {
    condition: shown
      ? all(equals('readme.configurationVersion', shown.configurationVersion), equals('readme.at', shown.at))
      : absent('readme'),
    change: { set: { readme } },
  };
};

/**
 * Plans the effects of a report of a configuration version (RUN-7).
 * @returns undefined if the report changes nothing.
 */
export const planConfigurationReport = (
  image: Workspace,
  known: ConfigurationVersion | undefined,
  report: ConfigurationReport,
): ConfigurationPlan | undefined => {
  const configurationVersion = withConfigurationReport(known, report);
  const readme = bringsReadme(image, report) ? cutReadme(report.readme ?? '') : undefined;
  if (isDeepStrictEqual(configurationVersion, known) && readme === undefined) return undefined;
  const [current, shown] = [currentConfiguration(image, configurationVersion), readmeStep(image, report)];
  return {
    step: {
      condition: all(ALIVE, current.condition, shown.condition),
      change: merge({ set: pickChanged(image, { hasConfigurations: true }) }, current.change, shown.change),
      configurationVersion: { id: report.id, status: configurationStatus(configurationVersion) },
      isActivity: true,
    },
    configurationVersion,
    ...(readme !== undefined && { readme }),
  };
};
