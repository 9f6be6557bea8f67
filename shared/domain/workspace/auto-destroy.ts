import { type Change, merge } from '../changes/conditions.ts';
import type { Inactivity, Project } from '../directory/records.ts';
import type { Workspace } from './workspace-record.ts';

/**
 * Scheduled destroy runs (DESTROY-5): at a time of the workspace's own, or after so long without activity, as the
 * workspace or its project has it.
 */

type Passing = Pick<Project, 'autoDestroyActivityDuration' | 'autoDestroySince'>;

/** One that was set when nothing came of it yet is in force once it is set again. */
export const inactivityFromProject = ({ autoDestroyActivityDuration: duration, autoDestroySince: since }: Passing) =>
  duration && since !== undefined ? { duration, since } : undefined;

const UNITS = { h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `14d` or `24h`; the format is checked where the request is read. */
export const parseDuration = (text: string): number =>
  Number(text.slice(0, -1)) * UNITS[text.endsWith('d') ? 'd' : 'h'];

/** What the due time follows from. */
type Scheduled = Pick<Workspace, 'settings' | 'createdAt' | 'activityAt' | 'destroyRequested'> & {
  readonly projectInactivity?: Inactivity | undefined;
};

/** The duration in force: the workspace's own, or its project's. */
export const inactivityDuration = ({ settings, projectInactivity }: Scheduled): string | null =>
  settings.inheritsProjectAutoDestroy
    ? (projectInactivity?.duration ?? null)
    : (settings.autoDestroyActivityDuration ?? null);

/**
 * When the next destroy run is due; undefined where none is. A time that has been asked for is not due again: only a
 * later one is, which activity or another setting brings.
 */
export const computeDueTime = (workspace: Scheduled): number | undefined => {
  const { settings, createdAt, activityAt = createdAt, projectInactivity, destroyRequested = 0 } = workspace;
  const duration = inactivityDuration(workspace);
  const since = settings.inheritsProjectAutoDestroy ? (projectInactivity?.since ?? 0) : 0;
  const idle = duration === null ? 0 : Math.max(activityAt, since) + parseDuration(duration);
  const due = Math.max(settings.autoDestroyAt ?? 0, idle);
  return due > destroyRequested ? due : undefined;
};

/** Of an activity nothing is written when the last one was so short a time ago, in milliseconds. */
const COUNTED = 60_000;

/** What an activity changes: where inactivity counts, it counts from now on anew. */
export const activityChange = (image: Workspace, now: number): Change =>
  inactivityDuration(image) === null || now - (image.activityAt ?? 0) < COUNTED ? {} : { set: { activityAt: now } };

/** The workspace's copy of what its project passes on; counted from now on where the project is another. */
export const inactivityChange = (
  image: Pick<Workspace, 'projectInactivity'>,
  passed: Inactivity | undefined,
  countsFrom?: number,
): Change =>
  merge(
    passed === undefined
      ? { remove: image.projectInactivity === undefined ? [] : ['projectInactivity'] }
      : passed.duration === image.projectInactivity?.duration && passed.since === image.projectInactivity.since
        ? {}
        : { set: { projectInactivity: passed } },
    passed === undefined || countsFrom === undefined ? {} : { set: { activityAt: countsFrom } },
  );
