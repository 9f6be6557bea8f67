import { describe, expect, it } from 'vitest';
import { move } from '../../../../shared/domain/transitions/workspaces/move-workspace.ts';
import {
  isWritten,
  NOW,
  plainWorkspace,
  rejectionOf,
  requestFrom,
} from '../../../support/models/planned-transitions.ts';

const unprotected = { from: false, to: false };
const moved = move(
  requestFrom('ada'),
  plainWorkspace,
  { id: 'prj-to', inactivity: undefined },
  unprotected,
  () => {},
  NOW,
);

describe('a move to another project', () => {
  it('is written for the workspace for which it was decided', () => {
    expect(isWritten(moved, { ...plainWorkspace, revision: plainWorkspace.revision + 1 })).toBe(true);
  });

  // The scope of the connection or pool was checked for another one (VCS-5, POOL-4).
  it.each([
    ['has left its project', { project: 'prj-other' }],
    ['has another agent pool', { settings: { ...plainWorkspace.settings, agentPool: 'apool-other' } }],
    ['has another VCS connection', { vcsRepo: { oauthTokenId: 'ot-other' } }],
  ])('is rejected if the workspace %s', (_, changed) => {
    const image = { ...plainWorkspace, ...changed } as typeof plainWorkspace;
    expect(rejectionOf(moved, image)).toMatchObject({ code: 'unavailable' });
  });
});
