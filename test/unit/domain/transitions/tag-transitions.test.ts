import { describe, expect, it } from 'vitest';
import { limits } from '../../../../shared/domain/limits.ts';
import { addBindings, addTags, removeTags, tagNames } from '../../../../shared/domain/tags/tag.ts';
import { changeTags } from '../../../../shared/domain/transitions/relationships/change-tags.ts';
import { forceDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
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

  it(`is rejected if the workspace would have more than ${limits.tags} tags or ${limits.bindings} bindings (TAG-7)`, () => {
    const full = apply(adding(...many(limits.tags)), plainWorkspace);
    expect(full.tags).toHaveLength(limits.tags);
    expect(rejectionOf(adding('one-more'), full)).toMatchObject({ code: 'unprocessable' });
    expect(rejectionOf(binding('env', 'dev'), full)).toBeUndefined();
    const bound = many(limits.bindings).reduce((image, key) => apply(binding(key, 'v'), image), plainWorkspace);
    expect(rejectionOf(binding('env', 'dev'), bound)?.detail).toContain(`at most ${limits.bindings}`);
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
