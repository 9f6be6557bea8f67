import { describe, expect, it } from 'vitest';
import { satisfies } from '../../../shared/domain/changes/conditions.ts';
import { MovedMeanwhile, type RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete, safeDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { toImage, type Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';

/** The condition of a deletion against changes of the protection after the workspace was read (DEL-15). */
const request: RequestContext = { id: 'req-1', principal: { kind: 'user', id: 'user-1', name: 'ada' } };

describe.each([
  ['safe delete', safeDelete],
  ['force delete', forceDelete],
] as const)('%s', (_, remove) => {
  const workspace = newWorkspace({ organization: 'acme', project: 'prj-1111111111111111' }, { name: 'network' });
  const protectedAs = (deletionProtection?: boolean | null): Workspace => ({
    ...workspace,
    settings: { ...workspace.settings, ...(deletionProtection !== undefined && { deletionProtection }) },
  });
  /** Returns whether a deletion that was planned on one image succeeds on another. */
  const deletes = (read: Workspace, stored: Workspace, isProtected: boolean): boolean => {
    const { condition } = remove(request, 1, {
      inherited: { project: workspace.project, isProtected },
      keptFor: 0,
    }).plan(read);
    return satisfies(condition, toImage(stored));
  };

  it('fails if the workspace gets a protection of its own meanwhile', () => {
    expect(deletes(protectedAs(), protectedAs(), false)).toBe(true);
    expect(deletes(protectedAs(), protectedAs(null), false)).toBe(true);
    expect(deletes(protectedAs(), protectedAs(false), false)).toBe(true);
    expect(deletes(protectedAs(), protectedAs(true), false)).toBe(false);
    expect(deletes(protectedAs(null), protectedAs(true), false)).toBe(false);
  });

  it('fails if the workspace begins to inherit a protection meanwhile', () => {
    expect(deletes(protectedAs(false), protectedAs(false), true)).toBe(true);
    expect(deletes(protectedAs(false), protectedAs(null), true)).toBe(false);
    expect(deletes(protectedAs(false), protectedAs(true), true)).toBe(false);
  });

  it('is decided again if the workspace inherits from another project than the one that was read', () => {
    const elsewhere = { inherited: { project: 'prj-elsewhere', isProtected: false }, keptFor: 0 };
    expect(() => remove(request, 1, elsewhere).plan(protectedAs())).toThrow(MovedMeanwhile);
    expect(() => remove(request, 1, elsewhere).plan(protectedAs(false))).not.toThrow();
  });

  it('by the service itself ignores the protection', () => {
    expect(() => remove(request, 1).plan(protectedAs(true))).not.toThrow();
  });
});
