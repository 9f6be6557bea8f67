import { isDeepStrictEqual } from 'node:util';
import type { ChangeType } from '../changes/change-records.ts';
import { absent, all, type Condition, equals, merge } from '../changes/conditions.ts';
import { ALIVE, grant, lockOf, type RequestContext, release, type Step } from '../changes/transitions.ts';
import type { ReadmeSource, Workspace } from '../workspace/workspace-record.ts';
import {
  type ConfigurationReport,
  type ConfigurationVersion,
  configurationStatus,
  isUsable,
  withConfigurationReport,
} from './configuration-versions.ts';
import { cutReadme } from './readme.ts';
import { currentMoment, isFinal, needsLock, type Run, type RunReport, withReport } from './run.ts';
import { computeRunMetrics, type FinishedRun, finishedRun, type RunMetrics, withFinished } from './run-metrics.ts';
import { isNewer } from './timeline.ts';

/**
 * What a report of a run, or of a configuration version, does to its workspace: the newest run is the current one, the
 * figures follow the runs that are over, and a run that may change the state holds the lock while it lasts (RUN-6). The
 * lock is taken and released as by anybody else, in the very write that merges the report.
 */

/** What is written together: the workspace's step, the run, and the window where it changes. */
export interface RunPlan {
  /** What it is announced as. */
  readonly type: ChangeType;
  readonly step: Step;
  readonly run: Run;
  readonly window?: readonly FinishedRun[];
}

/** Only what differs from the image: lists are told of nothing else. */
const changed = (image: Workspace, set: Partial<Workspace>): Partial<Workspace> =>
  Object.fromEntries(
    Object.entries(set).filter(([name, value]) => !isDeepStrictEqual(value, image[name as keyof Workspace])),
  );

/** Nobody made another run the current one meanwhile. */
const asSeen = ({ run, runAt = 0 }: Workspace): Condition =>
  run === undefined ? absent('run') : all(equals('run.id', run.id), equals('runAt', runAt));

const currentRun = (image: Workspace, run: Run): Step => {
  const { id, createdAt, description } = run;
  const current = image.run && { id: image.run.id, createdAt: image.runAt ?? 0 };
  if (current !== undefined && current.id !== id && !isNewer(run, current)) return { condition: all(), change: {} };
  const set = changed(image, {
    run: { id, configurationVersion: description.configurationVersion },
    runAt: createdAt,
    runStatus: currentMoment(run).status,
  });
  return { condition: asSeen(image), change: { set } };
};

const runMetricsChange = (image: Workspace, window: readonly FinishedRun[] | undefined): Step['change'] =>
  window === undefined ? {} : { set: changed(image, { runMetrics: computeRunMetrics(window) satisfies RunMetrics }) };

/**
 * @param request in the name of the run.
 * @returns undefined where the report tells nothing new, and there is nothing left to do.
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
  const givesBack = held?.kind === 'Run' && held.by === run.id && isFinal(run) ? held : undefined;
  if (isDeepStrictEqual(run, known.run) && givesBack === undefined) return undefined;

  const finished = finishedRun(run);
  const counted = finished && withFinished(known.window, finished);
  const window = counted === undefined || isDeepStrictEqual(counted, known.window) ? undefined : counted;
  const current = currentRun(image, run);
  const locking: Step | undefined = takesLock
    ? grant(image, lockOf(request, { id: run.id, reason: '', at: now }))
    : givesBack && release(image, givesBack, request);
  const step: Step = {
    ...locking,
    condition: all(ALIVE, current.condition, locking?.condition ?? all()),
    change: merge(current.change, runMetricsChange(image, window), locking?.change ?? {}),
    run: { id: run.id, status: currentMoment(run).status },
    isActivity: true,
  };
  const type = takesLock ? 'workspace.locked' : givesBack ? 'workspace.unlocked' : 'workspace.run-updated';
  return { type, step, run, ...(window && { window }) };
};

export interface ConfigurationPlan {
  readonly step: Step;
  readonly configurationVersion: ConfigurationVersion;
  /** The README.md that the workspace shows from now on. */
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
    change: { set: changed(image, { configurationVersion: { id, at: createdAt } }) },
  };
};

/** Whether a report brings the text of a later README than the one that is shown; those of plan-only ones are none. */
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

/** @returns undefined where the report tells nothing new. */
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
      change: merge({ set: changed(image, { hasConfigurations: true }) }, current.change, shown.change),
      configurationVersion: { id: report.id, status: configurationStatus(configurationVersion) },
      isActivity: true,
    },
    configurationVersion,
    ...(readme !== undefined && { readme }),
  };
};
