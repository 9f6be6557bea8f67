import { type Change, merge } from '../changes/conditions.ts';
import type { Inactivity, Project } from '../directory/records.ts';
import type { Workspace } from './workspace-record.ts';

type AutoDestroySettings = Pick<Project, 'autoDestroyActivityDuration' | 'autoDestroySince'>;

/**
 * Returns the inactivity rule that a project passes to its workspaces (DESTROY-2). A duration without a start time was
 * stored by a version that ignored it; it applies once it is set again.
 */
export const inactivityFromProject = ({
  autoDestroyActivityDuration: duration,
  autoDestroySince: since,
}: AutoDestroySettings) => (duration && since !== undefined ? { duration, since } : undefined);

const UNITS = { h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `14d` or `24h`, whose format has been validated. @returns milliseconds. */
export const parseDuration = (text: string): number =>
  Number(text.slice(0, -1)) * UNITS[text.endsWith('d') ? 'd' : 'h'];

/** The attributes of a workspace that determine its due time. */
type Scheduled = Pick<Workspace, 'settings' | 'createdAt' | 'activityAt' | 'destroyRequested'> & {
  readonly projectInactivity?: Inactivity | undefined;
};

/** Returns the duration that applies: the workspace's own or its project's, as in `14d`; null for none. */
export const inactivityDuration = ({ settings, projectInactivity }: Scheduled): string | null =>
  settings.inheritsProjectAutoDestroy
    ? (projectInactivity?.duration ?? null)
    : (settings.autoDestroyActivityDuration ?? null);

/**
 * Computes when the next destroy run is due (DESTROY-5). A due time for which a run was requested is not due again; only
 * activity or a changed setting causes a later one.
 * @returns milliseconds since the epoch; undefined if no destroy run is due.
 */
export const computeDueTime = (workspace: Scheduled): number | undefined => {
  const { settings, createdAt, activityAt = createdAt, projectInactivity, destroyRequested = 0 } = workspace;
  const duration = inactivityDuration(workspace);
  const since = settings.inheritsProjectAutoDestroy ? (projectInactivity?.since ?? 0) : 0;
  const idle = duration === null ? 0 : Math.max(activityAt, since) + parseDuration(duration);
  const due = Math.max(settings.autoDestroyAt ?? 0, idle);
  return due > destroyRequested ? due : undefined;
};

/** Minimum time between two recorded activities in milliseconds, to limit writes. */
const ACTIVITY_INTERVAL = 60_000;

/** Creates the change that records an activity. It is empty if no duration applies or the last record is recent. */
export const activityChange = (image: Workspace, now: number): Change =>
  inactivityDuration(image) === null || now - (image.activityAt ?? 0) < ACTIVITY_INTERVAL
    ? {}
    : { set: { activityAt: now } };

/**
 * Creates the change that updates the workspace's copy of its project's inactivity rule.
 * @param passed rule of the project; undefined for none.
 * @param countsFrom new start of the inactivity in milliseconds since the epoch, if the project is another one.
 */
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
