import { describe, expect, it } from 'vitest';
import { update } from '../../../shared/domain/transitions/workspaces/update-workspace.ts';
import {
  activityChange,
  computeDueTime,
  inactivityDuration,
  inactivityFromProject,
} from '../../../shared/domain/workspace/auto-destroy.ts';
import { configure, configureNew } from '../../../shared/domain/workspace/configuration/configure.ts';
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

describe('computeDueTime', () => {
  it.each<[name: string, workspace: Workspace, due: number | undefined]>([
    ['returns no time if nothing is set', workspace({}), undefined],
    ['returns the explicit time', workspace({}, { ...own, autoDestroyAt: NOW + 5 }), NOW + 5],
    [
      'adds the duration to the last activity',
      workspace({ activityAt: NOW }, { ...own, autoDestroyActivityDuration: '2h', autoDestroyAt: NOW - 9 }),
      NOW + 2 * HOUR,
    ],
    [
      'returns the explicit time if it is later than the end of the duration',
      workspace({ activityAt: NOW }, { ...own, autoDestroyActivityDuration: '2h', autoDestroyAt: NOW + 9 * HOUR }),
      NOW + 9 * HOUR,
    ],
    [
      'adds the duration of the project to the creation if there was no activity',
      workspace({ projectInactivity: passed }),
      NOW + 3 * HOUR,
    ],
    [
      'counts from the time at which the project got its duration',
      workspace({ createdAt: 1, projectInactivity: passed }),
      NOW + 2 * HOUR,
    ],
    [
      'ignores the duration of the project if the workspace does not inherit it',
      workspace({ projectInactivity: passed }, own),
      undefined,
    ],
    [
      'returns no time if a run was requested for that time',
      workspace({ destroyRequested: 7 }, { autoDestroyAt: 7 }),
      undefined,
    ],
    [
      'returns a new time after activity that follows a requested run',
      workspace({ destroyRequested: NOW, activityAt: NOW + 1, projectInactivity: passed }),
      NOW + 1 + 3 * HOUR,
    ],
  ])('%s', (_, given, due) => {
    expect(computeDueTime(given)).toBe(due);
  });

  it('ignores the duration of a project that has no start time', () => {
    expect(inactivityFromProject({ autoDestroyActivityDuration: '1d' })).toBeUndefined();
    expect(inactivityFromProject({ autoDestroyActivityDuration: null, autoDestroySince: 1 })).toBeUndefined();
    expect(inactivityFromProject({ autoDestroyActivityDuration: '1d', autoDestroySince: 1 })).toEqual({
      duration: '1d',
      since: 1,
    });
  });
});

describe('activityChange', () => {
  it('records an activity at most once a minute, and only while a duration applies', () => {
    const counting = workspace({ projectInactivity: passed, activityAt: NOW });
    expect(activityChange(counting, NOW + 59_999)).toEqual({});
    expect(activityChange(counting, NOW + 60_000)).toEqual({ set: { activityAt: NOW + 60_000 } });
    expect(activityChange(workspace({}), NOW)).toEqual({});
  });
});

describe('the auto-destroy settings of a request', () => {
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
    ['start a duration now and stop inheriting', outcome(day), { at: tomorrow, duration: '1d', inherits: false }],
    [
      'prefer an explicit time to inheriting in the same request',
      outcome({ autoDestroyAt: NOW + 1, inheritsProjectAutoDestroy: true }),
      { at: NOW + 1, duration: null, inherits: false },
    ],
    [
      'remove own values when the workspace inherits again',
      outcome(day, { inheritsProjectAutoDestroy: true }),
      { at: null, duration: null, inherits: true },
    ],
    [
      'remove the duration when an explicit time is set',
      outcome(day, { autoDestroyAt: NOW + 1 }),
      { at: NOW + 1, duration: null, inherits: false },
    ],
    [
      'remove the explicit time when a duration is set, and start the duration now',
      outcome({ autoDestroyAt: NOW + 9 * 24 * HOUR }, day),
      { at: tomorrow, duration: '1d', inherits: false },
    ],
    [
      'keep the start of a duration that is set again',
      outcome({ ...day, autoDestroyAt: null }, day),
      { at: tomorrow, duration: '1d', inherits: false },
    ],
    [
      'accept null for the time next to a duration, and null for the duration next to a time',
      [
        outcome({ ...day, autoDestroyAt: null }),
        outcome(day, { autoDestroyAt: NOW + 1, autoDestroyActivityDuration: null }),
      ],
      [
        { at: tomorrow, duration: '1d', inherits: false },
        { at: NOW + 1, duration: null, inherits: false },
      ],
    ],
    [
      'inherit again when null removes the time or the duration',
      [
        outcome({ autoDestroyAt: NOW + 1 }, { autoDestroyAt: null }),
        outcome(day, { autoDestroyActivityDuration: null }),
        outcome(day, { autoDestroyAt: null, autoDestroyActivityDuration: null }),
      ],
      Array.from({ length: 3 }, () => ({ at: null, duration: null, inherits: true })),
    ],
    [
      'do not inherit when null removes a value and inheriting is rejected in the same request',
      [
        outcome({ autoDestroyAt: NOW + 1 }, { autoDestroyAt: null, inheritsProjectAutoDestroy: false }),
        outcome(day, { autoDestroyActivityDuration: null, inheritsProjectAutoDestroy: false }),
      ],
      Array.from({ length: 2 }, () => ({ at: null, duration: null, inherits: false })),
    ],
    [
      'keep a duration when null is sent for the time alone',
      [outcome(day, { autoDestroyAt: null }), outcome(day, { autoDestroyAt: null, inheritsProjectAutoDestroy: false })],
      Array.from({ length: 2 }, () => ({ at: tomorrow, duration: '1d', inherits: false })),
    ],
    [
      'keep a time when null is sent for the duration alone',
      outcome({ autoDestroyAt: NOW + 1 }, { autoDestroyActivityDuration: null }),
      { at: NOW + 1, duration: null, inherits: false },
    ],
    [
      'do not inherit again when null is sent for a time that is absent',
      outcome({ inheritsProjectAutoDestroy: false }, { autoDestroyAt: null }),
      { at: null, duration: null, inherits: false },
    ],
    [
      'allow a workspace with neither own nor inherited values',
      outcome({ inheritsProjectAutoDestroy: false }),
      { at: null, duration: null, inherits: false },
    ],
    [
      'change nothing if null is sent for an absent value',
      outcome({ autoDestroyAt: null, autoDestroyActivityDuration: null }),
      { at: null, duration: null, inherits: true },
    ],
  ])('%s', (_, is, expected) => {
    expect(is).toEqual(expected);
  });

  it.each([
    ['own', workspace({}, { ...own, autoDestroyActivityDuration: '3h', autoDestroyAt: NOW })],
    ['inherited', workspace({ projectInactivity: passed })],
  ])('change nothing if a request sends back the shown time and duration, which are %s', (_, image) => {
    const sentBack = {
      autoDestroyAt: computeDueTime(image) ?? null,
      autoDestroyActivityDuration: '3h',
      inheritsProjectAutoDestroy: image.settings.inheritsProjectAutoDestroy,
    };
    const request = { id: 'request', principal: { kind: 'user', id: 'user-1', name: 'ada' } } as const;
    const places = { from: image.project, to: image.project };
    const context = { ...configurationContext, inactivity: image.projectInactivity };
    expect(update(request, { configuration: sentBack, ...places }, context).plan(image).isUnneeded).toBe(true);
    const other = { ...sentBack, autoDestroyAt: NOW + 1 };
    expect(() => update(request, { configuration: other, ...places }, context).plan(image)).toThrow(
      /cannot both be set/,
    );
  });

  it('reject a time together with a duration', () => {
    expect(() => outcome({ ...day, autoDestroyAt: NOW + 1 })).toThrow(/cannot both be set/);
  });

  it('reject a time in the past unless it is the stored one', () => {
    const at = NOW + HOUR;
    const stored = configure(base, { autoDestroyAt: at }, configurationContext);
    const later = { ...configurationContext, now: at + HOUR };
    expect(configure(stored, { autoDestroyAt: at }, later)).toEqual(stored);
    expect(() => configure(stored, { autoDestroyAt: at + 1 }, later)).toThrow(/must be in the future/);
  });

  it('returns the duration of the project only if the workspace inherits it', () => {
    expect(inactivityDuration(workspace({ projectInactivity: passed }))).toBe('3h');
    expect(inactivityDuration(workspace({ projectInactivity: passed }, own))).toBeNull();
  });
});
