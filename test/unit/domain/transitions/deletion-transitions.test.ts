import { describe, expect, it } from 'vitest';
import { StatePending } from '../../../../shared/domain/errors.ts';
import { lock } from '../../../../shared/domain/transitions/locks/lock.ts';
import { grantAccess } from '../../../../shared/domain/transitions/relationships/change-team-access.ts';
import { forceDelete, safeDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { restore } from '../../../../shared/domain/transitions/workspaces/restore-workspace.ts';
import { isAlive, isRestorable, type Workspace } from '../../../../shared/domain/workspace/workspace-record.ts';
import {
  apply,
  isWritten,
  NOW,
  plainWorkspace,
  rejectionOf,
  requestFrom,
} from '../../../support/models/planned-transitions.ts';

const ada = requestFrom('ada');
const DAY = 86_400_000;
const inherited = { project: plainWorkspace.project, isProtected: false };
const context = { inherited, keptFor: 0 };
const keeping = { inherited, keptFor: 14 * DAY };

const locked = apply(lock(requestFrom('bob'), { id: 'lock-bob', reason: 'Mine', at: NOW }), plainWorkspace);
const waiting: Workspace = {
  ...plainWorkspace,
  pending: { id: 'sv-1', serial: 1, at: NOW - 10, lock: 'lock-1', intermediate: false, until: NOW + 1 },
};
const late: Workspace = {
  ...waiting,
  pending: { ...waiting.pending, until: NOW - 1 } as Workspace['pending'] & object,
};
const withState = (resources: number): Workspace => ({
  ...plainWorkspace,
  current: { id: 'sv-1', serial: 1, resources, at: NOW - 10 },
});
const intermediate: Workspace = {
  ...plainWorkspace,
  intermediate: { id: 'sv-1', serial: 1, resources: 0, at: NOW - 10 },
};
const isProtected: Workspace = {
  ...plainWorkspace,
  settings: { ...plainWorkspace.settings, deletionProtection: true },
};

describe('safe delete', () => {
  const remove = safeDelete(ada, NOW, context);

  it.each([
    [
      'locked',
      locked,
      /^Workspace is currently locked\. Workspace must be unlocked before it can be safely deleted\.$/,
    ],
    ['waiting for the content of a state version', waiting, /being processed/],
    ['waiting for the end of a lock', intermediate, /being processed/],
    ['managing resources', withState(1), /still manages resources/],
    ['without a readable state', withState(-1), /cannot be read/],
    ['protected', isProtected, /has deletion protection/],
  ])('is rejected for a workspace that is %s (DEL-1, DEL-3, DEL-4, DEL-5, DEL-13)', (_, workspace, detail) => {
    const error = rejectionOf(remove, workspace);
    expect(error?.code).toBe('conflict');
    expect(error?.detail).toMatch(detail);
  });

  it('names the holder of the lock (LOCK-16)', () => {
    expect(rejectionOf(remove, locked)?.meta).toMatchObject({ holder: { kind: 'User', name: 'bob' }, reason: 'Mine' });
  });

  it('reports the protection first, then the lock, then the state (DEL-1)', () => {
    const all = { ...locked, ...withState(1), ...isProtected, lock: locked.lock, current: withState(1).current };
    expect(rejectionOf(remove, all as Workspace)?.detail).toContain('deletion protection');
    const rest = { ...all, settings: plainWorkspace.settings, pending: waiting.pending } as Workspace;
    expect(rejectionOf(remove, rest)?.detail).toContain('locked');
    const { lock: _, ...unlocked } = rest;
    expect(rejectionOf(remove, unlocked)?.detail).toContain('being processed');
  });

  it('looks for the content of a state version, and ignores one whose time is over (DEL-4)', () => {
    for (const workspace of [waiting, late]) expect(rejectionOf(remove, workspace)).toBeInstanceOf(StatePending);
    expect(rejectionOf(safeDelete(ada, NOW, context, 'sv-1'), waiting)).toBeInstanceOf(StatePending);
    expect(rejectionOf(safeDelete(ada, NOW, context, 'sv-0'), late)).toBeInstanceOf(StatePending);
    expect(isWritten(safeDelete(ada, NOW, context, 'sv-1'), late)).toBe(true);
  });

  it.each([
    ['locked', locked],
    ['given a state version', waiting],
    ['given an intermediate state version', intermediate],
    ['given resources', withState(1)],
    ['given an unreadable state', withState(-1)],
    ['protected', isProtected],
    ['renamed', { ...plainWorkspace, name: 'other' }],
    ['deleted', apply(forceDelete(ada, NOW), plainWorkspace)],
  ])('is not written if the workspace is %s meanwhile (DEL-1)', (_, stored) => {
    expect(isWritten(remove, plainWorkspace, stored as Workspace)).toBe(false);
  });

  it('is written for a workspace whose state has no resources', () => {
    expect(isWritten(remove, withState(0))).toBe(true);
    expect(apply(remove, withState(0)).change).toMatchObject({ type: 'workspace.deleted', forced: false });
  });
});

describe('force delete', () => {
  const remove = forceDelete(ada, NOW, context);

  it.each([
    ['locked', locked],
    ['waiting for a state version', waiting],
    ['managing resources', withState(1)],
  ])('ignores that the workspace is %s (DEL-6)', (_, workspace) => {
    expect(isAlive(apply(remove, workspace))).toBe(false);
    expect(apply(remove, workspace).change).toMatchObject({ type: 'workspace.deleted', forced: true });
  });

  it('is rejected for a protected workspace (DEL-13)', () => {
    expect(rejectionOf(remove, isProtected)).toMatchObject({ code: 'conflict' });
    const byProject = forceDelete(ada, NOW, { ...context, inherited: { ...inherited, isProtected: true } });
    expect(rejectionOf(byProject, plainWorkspace)?.detail).toContain('inherits deletion protection');
  });
});

describe.each([
  ['safe delete', safeDelete],
  ['force delete', forceDelete],
])('%s', (_, remove) => {
  it('is 404 for a workspace that is deleted or unknown', () => {
    const deleted = apply(remove(ada, NOW, context), plainWorkspace);
    expect(rejectionOf(remove(ada, NOW, context), deleted)).toMatchObject({ code: 'not-found' });
    expect(rejectionOf(remove(ada, NOW, context), undefined)).toMatchObject({ code: 'not-found' });
  });

  it('gives up the name and leaves a tombstone that expires after 7 days (DEL-8, DEL-9)', () => {
    const { claims, leavesDependants } = remove(ada, NOW, context).plan(plainWorkspace);
    expect(claims).toEqual([{ kind: 'give-up', name: 'network', project: plainWorkspace.project }]);
    expect(leavesDependants).toBe(false);
    const deleted = apply(remove(ada, NOW, context), plainWorkspace);
    expect(deleted).toMatchObject({ ttl: (NOW + 7 * DAY) / 1_000 });
    expect(isRestorable(deleted, NOW)).toBe(false);
  });

  it('leaves a workspace that can be restored for some time (DEL-16)', () => {
    const deleted = apply(remove(ada, NOW, keeping), plainWorkspace);
    expect(isAlive(deleted)).toBe(false);
    expect(isRestorable(deleted, NOW + 14 * DAY - 1)).toBe(true);
    expect(isRestorable(deleted, NOW + 14 * DAY)).toBe(false);
    expect(deleted).toMatchObject({ ttl: (NOW + (365 + 14) * DAY) / 1_000 });
  });

  it.each([
    ['a variable', { hasVariables: true }],
    ['consumers', { consumers: { generation: 1, count: 1, revision: 1 } }],
    ['a run', { run: { id: 'run-1', configurationVersion: null } }],
    ['a configuration version', { hasConfigurations: true }],
    ['a variable set', { hasVariableSets: true }],
    ['a state version', { stateVersions: 1 }],
  ])('leaves %s to the cleanup, also one that is created meanwhile (DEL-9, DEL-10)', (__, dependant) => {
    const owner = { ...plainWorkspace, ...dependant } as unknown as Workspace;
    const transition = remove(ada, NOW, context);
    expect(transition.plan(owner).leavesDependants).toBe(true);
    expect(apply(transition, owner)).toMatchObject({ ttl: (NOW + 365 * DAY) / 1_000 });
    expect(isWritten(transition, plainWorkspace, owner)).toBe(false);
  });

  it('leaves the access of teams to the cleanup', () => {
    const shared = apply(grantAccess('team-1', 'read'), plainWorkspace);
    expect(remove(ada, NOW, context).plan(shared).leavesDependants).toBe(true);
  });

  it('is recognized by its request, also after a restoration (LOCK-15)', () => {
    const transition = remove(ada, NOW, keeping);
    const deleted = apply(transition, plainWorkspace, ada);
    const next = remove(requestFrom('ada', 'next'), NOW, keeping);
    expect([transition.applied(plainWorkspace), transition.applied(deleted), next.applied(deleted)]).toEqual([
      false,
      true,
      false,
    ]);
    const restoration = {
      name: undefined,
      project: { id: plainWorkspace.project, inactivity: undefined },
      missingTeams: [],
      hasAgentPool: true,
      hasSshKey: true,
      overrides: [],
      provider: undefined,
    };
    const bob = requestFrom('bob');
    const restored = apply(restore(bob, restoration, NOW + 1), deleted, bob);
    expect([transition.applied(restored), next.applied(restored)]).toEqual([true, false]);
  });
});
