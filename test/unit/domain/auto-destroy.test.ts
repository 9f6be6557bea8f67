import { describe, expect, it } from 'vitest';
import {
  activityChange,
  computeDueTime,
  inactivityDuration,
  inactivityFromProject,
} from '../../../shared/domain/workspace/auto-destroy.ts';
import { configure, configureNew } from '../../../shared/domain/workspace/configure.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { defaultSettings } from '../../../shared/resources/attribute-table.ts';
import { attributes } from '../../../shared/resources/workspaces/attributes.ts';
import { configurationContext, newWorkspace } from '../../support/api/new-workspace.ts';

const HOUR = 3_600_000;
const NOW = configurationContext.now;
const workspace = (given: Partial<Workspace>, settings: Partial<Workspace['settings']> = {}): Workspace => {
  const made = newWorkspace({ organization: 'acme', project: 'prj-x' }, { name: 'w' });
  return { ...made, ...given, settings: { ...made.settings, ...settings } };
};
const own = { inheritsProjectAutoDestroy: false };
const passed = { duration: '3h', since: NOW - HOUR };

describe('the next destroy run is due', () => {
  it.each<[name: string, workspace: Workspace, due: number | undefined]>([
    ['never, where nothing is set', workspace({}), undefined],
    ['at the time that is set', workspace({}, { ...own, autoDestroyAt: NOW + 5 }), NOW + 5],
    [
      'so long after the last activity',
      workspace({ activityAt: NOW }, { ...own, autoDestroyActivityDuration: '2h', autoDestroyAt: NOW - 9 }),
      NOW + 2 * HOUR,
    ],
    [
      'not before a time that is set as well',
      workspace({ activityAt: NOW }, { ...own, autoDestroyActivityDuration: '2h', autoDestroyAt: NOW + 9 * HOUR }),
      NOW + 9 * HOUR,
    ],
    ['so long after it was created, as its project says', workspace({ projectInactivity: passed }), NOW + 3 * HOUR],
    [
      'not before the project has said so for that long',
      workspace({ createdAt: 1, projectInactivity: passed }),
      NOW + 2 * HOUR,
    ],
    ['whatever its project says, where it does not inherit', workspace({ projectInactivity: passed }, own), undefined],
    ['not again at a time that was asked for', workspace({ destroyRequested: 7 }, { autoDestroyAt: 7 }), undefined],
    [
      'again after activity',
      workspace({ destroyRequested: NOW, activityAt: NOW + 1, projectInactivity: passed }),
      NOW + 1 + 3 * HOUR,
    ],
  ])('%s', (_, given, due) => {
    expect(computeDueTime(given)).toBe(due);
  });

  it('by what projects said before anything came of it only once they say it again', () => {
    expect(inactivityFromProject({ autoDestroyActivityDuration: '1d' })).toBeUndefined();
    expect(inactivityFromProject({ autoDestroyActivityDuration: null, autoDestroySince: 1 })).toBeUndefined();
    expect(inactivityFromProject({ autoDestroyActivityDuration: '1d', autoDestroySince: 1 })).toEqual({
      duration: '1d',
      since: 1,
    });
  });
});

describe('activity', () => {
  it('is written once a minute, and only where it counts', () => {
    const counting = workspace({ projectInactivity: passed, activityAt: NOW });
    expect(activityChange(counting, NOW + 59_999)).toEqual({});
    expect(activityChange(counting, NOW + 60_000)).toEqual({ set: { activityAt: NOW + 60_000 } });
    expect(activityChange(workspace({}), NOW)).toEqual({});
  });
});

describe('what a request sets', () => {
  const base = configureNew(defaultSettings(attributes), { name: 'w' }, configurationContext);
  const outcome = (...requests: readonly Parameters<typeof configure>[1][]) => {
    const { settings } = requests.reduce(
      (previous, request) => configure(previous, request, configurationContext),
      base,
    );
    const { autoDestroyAt: at, autoDestroyActivityDuration: duration, inheritsProjectAutoDestroy: inherits } = settings;
    return { at, duration, inherits };
  };
  const day = { autoDestroyActivityDuration: '1d' };
  const tomorrow = NOW + 24 * HOUR;

  it.each<[name: string, is: object, expected: object]>([
    ['a duration is its own', outcome(day), { at: tomorrow, duration: '1d', inherits: false }],
    [
      'a time wins over inheriting that the same request asks for',
      outcome({ autoDestroyAt: NOW + 1, inheritsProjectAutoDestroy: true }),
      { at: NOW + 1, duration: null, inherits: false },
    ],
    [
      'inheriting drops its own',
      outcome(day, { inheritsProjectAutoDestroy: true }),
      { at: null, duration: null, inherits: true },
    ],
    [
      'a time that is taken away is counted anew where there is a duration',
      outcome(day, { autoDestroyAt: NOW + 1 }, { autoDestroyAt: null }),
      { at: tomorrow, duration: '1d', inherits: false },
    ],
    [
      'a duration that is taken away takes its time along',
      outcome(day, { autoDestroyActivityDuration: null }),
      { at: null, duration: null, inherits: false },
    ],
    [
      'nothing of its own, and not the project’s either',
      outcome({ inheritsProjectAutoDestroy: false }),
      { at: null, duration: null, inherits: false },
    ],
    [
      'null where there was nothing changes nothing',
      outcome({ autoDestroyAt: null, autoDestroyActivityDuration: null }),
      { at: null, duration: null, inherits: true },
    ],
  ])('%s', (_, is, expected) => {
    expect(is).toEqual(expected);
  });

  it('says which duration is in force', () => {
    expect(inactivityDuration(workspace({ projectInactivity: passed }))).toBe('3h');
    expect(inactivityDuration(workspace({ projectInactivity: passed }, own))).toBeNull();
  });
});
