import { describe, expect, it } from 'vitest';
import { conflict } from '../../../../shared/domain/errors.ts';
import {
  changeAccess,
  grantAccess,
  revokeAccess,
} from '../../../../shared/domain/transitions/relationships/change-team-access.ts';
import { forceDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import {
  apply,
  isWritten,
  NOW,
  plainWorkspace,
  rejectionOf,
  requestFrom,
} from '../../../support/models/planned-transitions.ts';

const ada = requestFrom('ada');
const TEAM = 'team-1';
const custom = { runs: 'plan' } as const;
const granted = apply(grantAccess(TEAM, 'read'), plainWorkspace);
const deleted = apply(forceDelete(ada, NOW), granted);

describe('the access of a team', () => {
  it('is granted together with its id pointer, which a replacement does not write again', () => {
    expect(granted.access).toEqual({ [TEAM]: 'read' });
    expect(grantAccess(TEAM, 'read').plan(plainWorkspace).accessIds).toEqual([{ kind: 'put', team: TEAM }]);
    expect(grantAccess(TEAM, 'write').plan(granted)).not.toHaveProperty('accessIds');
    expect(apply(grantAccess('team-2', custom), granted).access).toEqual({ [TEAM]: 'read', 'team-2': custom });
  });

  it('is revoked together with its id pointer, without the access of others', () => {
    const both = apply(grantAccess('team-2', 'admin'), granted);
    expect(apply(revokeAccess(TEAM), both).access).toEqual({ 'team-2': 'admin' });
    expect(revokeAccess(TEAM).plan(both).accessIds).toEqual([{ kind: 'delete', team: TEAM }]);
  });

  it('is reported with its level, with custom access as a level of its own, and with null for none', () => {
    expect(grantAccess(TEAM, 'admin').plan(granted).team).toEqual({ id: TEAM, access: 'admin' });
    expect(grantAccess(TEAM, custom).plan(granted).team).toEqual({ id: TEAM, access: 'custom' });
    expect(revokeAccess(TEAM).plan(granted).team).toEqual({ id: TEAM, access: null });
  });

  it.each([
    ['a grant', grantAccess(TEAM, 'write')],
    ['a revocation', revokeAccess(TEAM)],
    ['a change', changeAccess(ada, TEAM, () => 'write')],
  ])('is not changed by %s in a deleted workspace', (_, transition) => {
    expect(rejectionOf(transition, deleted)).toMatchObject({ code: 'not-found' });
    expect(isWritten(transition, granted)).toBe(true);
    expect(isWritten(transition, granted, deleted)).toBe(false);
  });

  it('is as wanted already, whoever granted or revoked it', () => {
    expect(grantAccess(TEAM, 'read').applied(granted)).toBe(true);
    expect(grantAccess(TEAM, 'write').applied(granted)).toBe(false);
    expect(grantAccess(TEAM, { ...custom }).applied(apply(grantAccess(TEAM, custom), granted))).toBe(true);
    expect(revokeAccess(TEAM).applied(granted)).toBe(false);
    expect(revokeAccess(TEAM).applied(plainWorkspace)).toBe(true);
    expect(revokeAccess('toString').applied(granted)).toBe(true);
    for (const transition of [grantAccess(TEAM, 'read'), revokeAccess('team-2')]) {
      expect(transition.applied(deleted)).toBe(false);
    }
  });

  it('is changed by a request from the present grant, and the request is recognized by its id', () => {
    const change = changeAccess(ada, TEAM, (grant) => {
      if (grant === undefined) throw conflict('There is no access to change.');
      return { runs: 'apply' };
    });
    const changed = apply(change, granted, ada);
    expect(changed.access).toEqual({ [TEAM]: { runs: 'apply' } });
    expect(rejectionOf(change, plainWorkspace)).toMatchObject({ code: 'conflict' });
    expect(change.applied(changed)).toBe(true);
    expect(changeAccess(requestFrom('ada', 'next'), TEAM, () => 'read').applied(changed)).toBe(false);
    // The last change of the request was another one: granting the access.
    expect(change.applied({ ...changed, change: { ...changed.change, type: 'workspace.updated' } })).toBe(false);
  });
});
