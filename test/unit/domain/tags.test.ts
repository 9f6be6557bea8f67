import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { isId } from '../../../shared/domain/ids.ts';
import {
  addBindings,
  addTags,
  checkCount,
  effectiveBindings,
  isFlat,
  removeTags,
  replaceBindings,
  type Tags,
} from '../../../shared/domain/tags/tag.ts';
import { bindingId, effectiveBindingId, resolveTagNames, tagId } from '../../../shared/domain/tags/tag-ids.ts';
import { TagModel, type TagStep, tagSteps } from '../../support/models/tag-model.ts';
import { bounded } from '../../support/setup/run-budget.ts';

const words = ['a', 'b', 'c', 'd', 'constructor', '__proto__', 'toString'];
const step = tagSteps(words);
const steps = fc.array(step, { maxLength: 12 });
const names = fc.array(fc.constantFrom(...words), { maxLength: 6 });
const bindings = step.map((one) => ('given' in one ? one.given : []));

const outcome = (tags: Tags, one: TagStep, at: number): Tags => {
  switch (one.does) {
    case 'add':
      return addTags(tags, one.names, at);
    case 'remove':
      return removeTags(tags, one.names);
    case 'bind':
      return addBindings(tags, one.given, at);
    case 'replace':
      return replaceBindings(tags, one.given, at);
  }
};

const shown = (tags: Tags) => tags.map(({ key: one, value, at }) => [one, value, at]);

describe('tags and bindings', () => {
  test.prop([steps], bounded(400))('behave like a map in insertion order', (history) => {
    const model = new TagModel();
    let tags: Tags = [];
    for (const [index, one] of history.entries()) {
      if (model.rejects(one)) {
        expect(() => outcome(tags, one, index)).toThrow(/is already the key of a tag binding/);
        continue;
      }
      model.take(one, index);
      tags = outcome(tags, one, index);
      expect(shown(tags)).toEqual([...model].map(([known, { value, at }]) => [known, value, at]));
    }
  });

  /** Returns the tags after the steps that are not rejected. */
  const tagsAfter = (history: readonly TagStep[]): Tags => {
    const model = new TagModel();
    const accepted = history.filter((one) => !model.rejects(one) && model.take(one, 1));
    return accepted.reduce<Tags>((tags, one) => outcome(tags, one, 1), []);
  };

  test.prop([steps, step])('do not change when a step is repeated', (history, last) => {
    const tags = tagsAfter(history);
    if (last.does === 'add' && last.names.some((name) => tags.some(({ key, value }) => key === name && value))) return;
    const once = outcome(tags, last, 2);
    expect(outcome(once, last, 3)).toEqual(once);
  });

  test.prop([steps, names])('keep their values when flat tags change', (history, given) => {
    const tags = tagsAfter(history);
    const bound = (of: Tags) => of.filter((tag) => !isFlat(tag));
    const keys = bound(tags).map(({ key }) => key);
    const free = given.filter((name) => !keys.includes(name));
    expect(bound(addTags(tags, free, 2))).toEqual(bound(tags));
    expect(bound(removeTags(tags, given))).toEqual(bound(tags));
  });

  test.prop([bindings, bindings])(
    'are combined with the project, each key once and without flat tags',
    (own, inherited) => {
      const project = { id: 'prj', bindings: addBindings([], inherited, 1).filter((tag) => !isFlat(tag)) };
      const tags = addBindings([], own, 1);
      const effective = effectiveBindings(tags, project);
      const ownBindings = tags.filter((tag) => !isFlat(tag));
      expect(effective.slice(0, ownBindings.length)).toEqual(ownBindings);
      const passedOn = project.bindings.filter(({ key }) => tags.every((tag) => tag.key !== key));
      const wanted = new Map([...passedOn, ...ownBindings].map((tag) => [tag.key, tag.value]));
      expect(new Map(effective.map((tag) => [tag.key, tag.value]))).toEqual(wanted);
      expect(effective).toHaveLength(wanted.size);
      for (const { key: one, inheritedFrom } of effective) {
        expect(inheritedFrom).toBe(tags.some((tag) => tag.key === one) ? undefined : 'prj');
      }
    },
  );
});

describe('the ids of tags', () => {
  const organization = 'org-2jPTvTDXBPFzPGbT';

  // Clients keep them: what computes them must never change.
  it('have not changed since the first release', () => {
    expect(tagId(organization, 'network')).toBe('tag-nMazi5LZfNutQtgb');
    expect(bindingId(organization, 'ws-2jPTvTDXBPFzPGbT', 'env')).toBe('tb-MrrGxeyXXeABNzjR');
    expect(effectiveBindingId(organization, 'ws-2jPTvTDXBPFzPGbT', 'env')).toBe('sJaobTRycJ99hs3N');
  });

  const name = fc.stringMatching(/^[A-Za-z0-9:_-]{1,20}$/);
  test.prop([name, name])('are valid ids and differ by name, case and organization', (one, other) => {
    expect(isId('tag', tagId(organization, one))).toBe(true);
    expect(isId('tagBinding', bindingId(organization, 'ws-1', one))).toBe(true);
    expect(tagId(organization, one) === tagId(organization, other)).toBe(one === other);
    expect(tagId(organization, one)).not.toBe(tagId('org-other', one));
    expect(bindingId(organization, 'ws-1', one)).not.toBe(bindingId(organization, 'ws-2', one));
  });

  test.prop([fc.uniqueArray(name, { maxLength: 8 }), name])('resolve to known names only', (known, one) => {
    const references = [
      { pointer: '', id: tagId(organization, one) },
      { pointer: '', name: 'given' },
    ];
    expect(resolveTagNames(references, organization, known)).toEqual([known.includes(one) ? one : undefined, 'given']);
    expect(resolveTagNames(references, 'org-other', known)).toEqual([undefined, 'given']);
  });
});

describe('the tags of a project', () => {
  it('need values and are limited to 10', () => {
    const bound = Array.from({ length: 11 }, (_, index) => ({ key: `k${index}`, value: 'v', at: 1 }));
    expect(() => checkCount('project', bound.slice(1))).not.toThrow();
    expect(() => checkCount('project', bound)).toThrow(/at most 10/);
    expect(() => checkCount('project', [{ key: 'flat', at: 1 }])).toThrow(/need values/);
  });
});
