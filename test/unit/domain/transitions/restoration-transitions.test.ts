import { describe, expect, it } from 'vitest';
import { lock } from '../../../../shared/domain/transitions/locks/lock.ts';
import { forceDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import {
  findDropped,
  purge,
  type Restoration,
  restore,
} from '../../../../shared/domain/transitions/workspaces/restore-workspace.ts';
import { isAlive, isRestorable, type Workspace } from '../../../../shared/domain/workspace/workspace-record.ts';
import {
  apply,
  isWritten,
  NOW,
  plainWorkspace,
  rejectionOf,
  requestFrom,
} from '../../../support/models/planned-transitions.ts';

const [ada, bob] = [requestFrom('ada'), requestFrom('bob')];
const KEPT = 14 * 86_400_000;
const END = NOW + KEPT;
const LATER = NOW + 1_000;

const restoration: Restoration = {
  name: undefined,
  project: { id: plainWorkspace.project, inactivity: undefined },
  missingTeams: [],
  hasAgentPool: true,
  hasSshKey: true,
  overrides: [],
  provider: undefined,
};
const remove = (workspace: Workspace, keptFor = KEPT): Workspace =>
  apply(
    forceDelete(ada, NOW, { inherited: { project: workspace.project, isProtected: false }, keptFor }),
    workspace,
    ada,
  );
const deleted = remove(plainWorkspace);
const restoring = (changed: Partial<Restoration> = {}, request = bob, at = LATER) =>
  restore(request, { ...restoration, ...changed }, at);
const finalized = { id: 'sv-2', serial: 2, resources: 3, at: NOW - 5 };

describe('restore', () => {
  it('gives the workspace back with its name, and nothing of its deletion (DEL-18)', () => {
    const restored = apply(restoring(), deleted, bob);
    expect(isAlive(restored)).toBe(true);
    expect(isRestorable(restored, LATER)).toBe(false);
    expect(restored).not.toHaveProperty('ttl');
    const { id, name, settings, tags, access } = plainWorkspace;
    expect(restored).toMatchObject({ id, name, settings, tags, access, revision: plainWorkspace.revision + 1 });
    expect(restoring().plan(deleted).claims).toEqual([{ kind: 'take', name, project: plainWorkspace.project }]);
  });

  it('drops the lock, increments the fencing token and promotes the intermediate state version (DEL-18)', () => {
    const locked = apply(lock(ada, { id: 'lock-1', reason: '', at: NOW }), plainWorkspace);
    const restored = apply(restoring(), remove({ ...locked, intermediate: finalized }), bob);
    expect(restored.lock).toBeUndefined();
    expect(restored.intermediate).toBeUndefined();
    expect(restored).toMatchObject({ fence: locked.fence + 1, current: finalized });
    expect(restored.change).toMatchObject({ stateVersion: { id: 'sv-2', serial: 2 } });
  });

  it('is 404 unless the workspace is deleted and its time is not over (DEL-16, DEL-18)', () => {
    const images = [undefined, plainWorkspace, remove(plainWorkspace, 0), apply(purge(ada, LATER), deleted, ada)];
    for (const image of images) expect(rejectionOf(restoring(), image)).toMatchObject({ code: 'not-found' });
    expect(rejectionOf(restoring({}, bob, END - 1), deleted)).toBeUndefined();
    expect(rejectionOf(restoring({}, bob, END), deleted)).toMatchObject({ code: 'not-found' });
  });

  it('is not written if the workspace is restored, purged or deleted again meanwhile (DEL-20)', () => {
    const restored = apply(restoring(), deleted, bob);
    expect(isWritten(restoring(), deleted)).toBe(true);
    expect(isWritten(restoring(), deleted, restored)).toBe(false);
    expect(isWritten(restoring(), deleted, apply(purge(ada, LATER), deleted, ada))).toBe(false);
    expect(isWritten(restoring(), deleted, remove(restored, KEPT + 5))).toBe(false);
  });

  it('takes another name and another project, and reports the previous ones', () => {
    const project = { id: 'prj-2222222222222222', inactivity: undefined };
    const transition = restoring({ name: 'renamed', project });
    expect(apply(transition, deleted, bob)).toMatchObject({ name: 'renamed', project: project.id });
    expect(transition.plan(deleted)).toMatchObject({
      claims: [{ kind: 'take', name: 'renamed', project: project.id }],
      keys: ['name', 'project'],
      previous: { name: 'network', project: plainWorkspace.project },
    });
  });

  it('is recognized by its request, and not repeated after another deletion', () => {
    const restored = apply(restoring(), deleted, bob);
    expect(restoring().applied(restored)).toBe(true);
    expect(restoring({}, requestFrom('bob', 'next')).applied(restored)).toBe(false);
    expect(restoring().applied(deleted)).toBe(false);
    const again = remove(restored);
    expect(rejectionOf(restoring(), again)).toMatchObject({ code: 'not-found' });
    expect(rejectionOf(restoring({}, requestFrom('bob', 'next')), again)).toBeUndefined();
  });

  it('drops the tags that override a reserved key of the target project (TAG-21)', () => {
    const tags = [
      { key: 'env', value: 'dev', at: NOW },
      { key: 'app', at: NOW },
    ];
    const tagged = remove({ ...plainWorkspace, tags });
    const losing: Restoration = { ...restoration, overrides: [{ id: 'tb-1', key: 'env' }] };
    expect(findDropped(tagged, losing, LATER)).toEqual([{ type: 'tag-bindings', id: 'tb-1' }]);
    expect(apply(restoring(losing), tagged, bob)).toMatchObject({ tags: [{ key: 'app' }], change: { keys: ['tags'] } });
  });

  it('drops references to what no longer exists (DEL-19)', () => {
    const { settings } = plainWorkspace;
    const referring = remove({
      ...plainWorkspace,
      sshKey: 'sshkey-1',
      settings: { ...settings, executionMode: 'agent', agentPool: 'apool-1', autoDestroyAt: NOW },
      overwrites: { executionMode: true, agentPool: true },
      access: { 'team-1': 'read', 'team-2': 'write' },
    });
    const losing: Restoration = { ...restoration, missingTeams: ['team-1'], hasAgentPool: false, hasSshKey: false };
    expect(findDropped(referring, losing, LATER)).toEqual([
      { type: 'teams', id: 'team-1' },
      { type: 'agent-pools', id: 'apool-1' },
      { type: 'ssh-keys', id: 'sshkey-1' },
      { type: 'attributes', id: 'auto-destroy-at' },
    ]);
    const transition = restoring(losing);
    expect(apply(transition, referring, bob)).toMatchObject({
      sshKey: null,
      settings: { executionMode: null, agentPool: null, autoDestroyAt: null },
      overwrites: { executionMode: false, agentPool: false },
      access: { 'team-2': 'write' },
    });
    expect(transition.plan(referring).accessIds).toEqual([{ kind: 'delete', team: 'team-1' }]);
    expect(apply(restoring(), referring, bob)).toMatchObject({
      sshKey: 'sshkey-1',
      settings: { executionMode: 'agent', agentPool: 'apool-1' },
      access: { 'team-1': 'read', 'team-2': 'write' },
    });
  });

  it('counts as activity where an inactivity rule applies (DEL-19)', () => {
    const inactivity = { duration: '14d', since: NOW };
    const timed = remove({ ...plainWorkspace, projectInactivity: inactivity, activityAt: 1 });
    const project = { id: plainWorkspace.project, inactivity };
    const ofProject = { ...timed, settings: { ...timed.settings, inheritsProjectAutoDestroy: true } };
    expect(apply(restoring({ project }), ofProject, bob).activityAt).toBe(LATER);
    expect(apply(restoring(), remove(plainWorkspace), bob).activityAt).toBeUndefined();
  });
});

describe('purge', () => {
  it('makes the tombstone final and registers dependants with the cleanup (DEL-20)', () => {
    const purged = apply(purge(ada, LATER), deleted, ada);
    expect(isAlive(purged)).toBe(false);
    expect(isRestorable(purged, LATER)).toBe(false);
    expect(purged).toMatchObject({ ttl: (LATER + KEPT / 2) / 1_000 });
    const owner = remove({ ...plainWorkspace, hasVariables: true });
    expect(purge(ada, LATER).plan(owner).leavesDependants).toBe(true);
    expect(purge(ada, LATER).plan(deleted).leavesDependants).toBe(false);
  });

  it('is 404 unless the workspace is deleted and has not been purged', () => {
    const images = [undefined, plainWorkspace, remove(plainWorkspace, 0), apply(purge(ada, LATER), deleted, ada)];
    for (const image of images) expect(rejectionOf(purge(bob, LATER), image)).toMatchObject({ code: 'not-found' });
  });

  it('is not written if the workspace is restored meanwhile', () => {
    expect(isWritten(purge(ada, LATER), deleted)).toBe(true);
    expect(isWritten(purge(ada, LATER), deleted, apply(restoring(), deleted, bob))).toBe(false);
  });

  it('is recognized by its request', () => {
    const purged = apply(purge(ada, LATER), deleted, ada);
    expect([purge(ada, LATER).applied(purged), purge(bob, LATER).applied(purged)]).toEqual([true, false]);
    expect(purge(ada, LATER).applied(deleted)).toBe(false);
  });
});
