import { describe, expect, it } from 'vitest';
import { limits } from '../../../../shared/domain/limits.ts';
import { addBindings, addTags, removeTags, type Tags, tagNames } from '../../../../shared/domain/tags/tag.ts';
import { changeTags } from '../../../../shared/domain/transitions/relationships/change-tags.ts';
import { forceDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { leaveProject } from '../../../../shared/domain/transitions/workspaces/drop-references.ts';
import {
  apply,
  isWritten,
  NOW,
  plainWorkspace,
  rejectionOf,
  requestFrom,
} from '../../../support/models/planned-transitions.ts';

const adding = (...names: readonly string[]) => changeTags((tags) => addTags(tags, names, NOW));
const binding = (key: string, value: string) => changeTags((tags) => addBindings(tags, [{ key, value }], NOW));
const removing = (...names: readonly string[]) => changeTags((tags) => removeTags(tags, names));
const tagged = apply(adding('a', 'b'), plainWorkspace);
const deleted = apply(forceDelete(requestFrom('ada'), NOW), tagged);
const many = (count: number) => Array.from({ length: count }, (_, index) => `t-${index}`);

describe('a change of tags', () => {
  it('writes all tags and increments the revision (TAG-7)', () => {
    expect(tagNames(tagged.tags)).toEqual(['a', 'b']);
    expect(tagged.revision).toBe(plainWorkspace.revision + 1);
  });

  it('reports the keys that are added, removed or changed', () => {
    const bound = apply(binding('env', 'dev'), tagged);
    expect(adding('a', 'c').plan(tagged).keys).toEqual(['c']);
    expect(removing('a', 'x').plan(tagged).keys).toEqual(['a']);
    expect(binding('env', 'prod').plan(bound).keys).toEqual(['env']);
    expect(binding('env', 'dev').plan(bound).keys).toEqual([]);
  });

  it('is rejected if the workspace has left the project for which it was decided (TAG-21)', () => {
    const decided = changeTags((tags) => addTags(tags, ['c'], NOW), tagged.project);
    expect(isWritten(decided, tagged)).toBe(true);
    expect(rejectionOf(decided, { ...tagged, project: 'prj-other' })).toMatchObject({ code: 'unavailable' });
  });

  it(`is rejected if the workspace would have more than ${limits.tags} tags or ${limits.bindings} bindings (TAG-7)`, () => {
    const full = apply(adding(...many(limits.tags)), plainWorkspace);
    expect(full.tags).toHaveLength(limits.tags);
    expect(rejectionOf(adding('one-more'), full)).toMatchObject({ code: 'unprocessable' });
    expect(rejectionOf(binding('env', 'dev'), full)).toBeUndefined();
    const bound = many(limits.bindings).reduce((image, key) => apply(binding(key, 'v'), image), plainWorkspace);
    expect(rejectionOf(binding('env', 'dev'), bound)?.detail).toContain(`at most ${limits.bindings}`);
  });

  it('is rejected if it adds a flat tag whose name is a key with a value (TAG-8)', () => {
    const bound = apply(binding('env', 'dev'), tagged);
    expect(adding('c', 'env').applied(bound)).toBe(false);
    expect(rejectionOf(adding('c', 'env'), bound)).toMatchObject({
      code: 'invalid-attribute',
      detail: 'Tag name env is already the key of a tag binding with the value dev. Remove the binding first.',
      source: { pointer: '/data/1' },
    });
  });

  it('is 404 for a deleted workspace, and not written if the workspace is deleted meanwhile', () => {
    expect(rejectionOf(adding('c'), deleted)).toMatchObject({ code: 'not-found' });
    expect(isWritten(adding('c'), tagged)).toBe(true);
    expect(isWritten(adding('c'), tagged, deleted)).toBe(false);
  });

  it('counts as applied if it would change nothing, and not in a deleted workspace', () => {
    expect([adding('a').applied(tagged), adding('c').applied(tagged), removing('x').applied(tagged)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(adding('a').applied(deleted)).toBe(false);
    // A lost response may hide that the change was applied and undone since.
    expect(adding('a').counter).toBe('sequence');
  });
});

describe('the move of a workspace whose project is deleted', () => {
  const bound = apply(binding('env', 'dev'), tagged);
  const target = { id: 'prj-2222222222222222', inactivity: undefined };
  const leaving = (overrides: (tags: Tags) => Tags) =>
    apply(leaveProject(bound.project, { ...target, findOverrides: overrides }, NOW), bound);

  it('removes the tags that override a reserved key of the default project (TAG-21)', () => {
    const moved = leaving((tags) => tags.filter(({ key }) => key === 'env'));
    expect(moved).toMatchObject({ project: target.id, change: { keys: ['project', 'tags'] } });
    expect(moved.tags).toEqual(tagged.tags);
  });

  it('keeps the tags if none overrides a reserved key', () => {
    expect(leaving(() => [])).toMatchObject({ tags: bound.tags, change: { keys: ['project'] } });
  });
});
