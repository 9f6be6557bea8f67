import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { isId } from '../../shared/domain/ids.ts';
import { bindingId, effectiveBindingId, tagId } from '../../shared/domain/tag-ids.ts';
import { namesOf } from '../../shared/domain/tag-references.ts';
import {
  addBindings,
  addTags,
  effectiveBindings,
  isFlat,
  removeTags,
  replaceBindings,
  type Tags,
} from '../../shared/domain/tags.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'constructor', '__proto__', 'toString');
const keys = fc.array(key, { maxLength: 6 });
const bindings = fc
  .uniqueArray(fc.tuple(key, fc.option(fc.constantFrom('1', '2'), { nil: undefined })), {
    selector: ([one]) => one,
    maxLength: 6,
  })
  .map((pairs) => pairs.map(([one, value]) => (value === undefined ? { key: one } : { key: one, value })));

type Given = readonly { readonly key: string; readonly value?: string }[];
type Step =
  | { readonly does: 'add' | 'remove'; readonly names: readonly string[] }
  | { readonly does: 'bind' | 'replace'; readonly given: Given };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constantFrom('add' as const, 'remove' as const), names: keys }),
  fc.record({ does: fc.constantFrom('bind' as const, 'replace' as const), given: bindings }),
);
const steps = fc.array(step, { maxLength: 12 });

const outcome = (tags: Tags, one: Step, at: number): Tags => {
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

/** The plain meaning: a map from key to value, in the order in which its keys came; a flat tag has none. */
class Model extends Map<string, { value: string | undefined; at: number }> {
  assign(one: string, value: string | undefined, at: number): void {
    this.set(one, { value, at: this.get(one)?.at ?? at });
  }
  take(one: Step, at: number): void {
    if (one.does === 'add') {
      for (const name of one.names) if (!this.has(name)) this.assign(name, undefined, at);
    }
    if (one.does === 'remove') {
      for (const name of one.names) if (this.has(name) && this.get(name)?.value === undefined) this.delete(name);
    }
    if (one.does === 'bind' || one.does === 'replace') {
      const given = new Set(one.given.map((binding) => binding.key));
      for (const [known, { value }] of [...this]) {
        if (one.does === 'replace' && value !== undefined && !given.has(known)) this.delete(known);
      }
      for (const { key: bound, value } of one.given) this.assign(bound, value, at);
    }
  }
}
const shown = (tags: Tags) => tags.map(({ key: one, value, at }) => [one, value, at]);

describe('tags and bindings', () => {
  test.prop([steps], { numRuns: 2_000 })('are what a map would be, in the order in which keys came', (history) => {
    const model = new Model();
    let tags: Tags = [];
    for (const [index, one] of history.entries()) {
      model.take(one, index);
      tags = outcome(tags, one, index);
      expect(shown(tags)).toEqual([...model].map(([known, { value, at }]) => [known, value, at]));
    }
  });

  test.prop([steps, step])('are the same after the same step again', (history, last) => {
    const once = outcome(
      history.reduce<Tags>((tags, one) => outcome(tags, one, 1), []),
      last,
      2,
    );
    expect(outcome(once, last, 3)).toEqual(once);
  });

  test.prop([steps, keys])('keep values through what is done with flat tags', (history, names) => {
    const tags = history.reduce<Tags>((so, one) => outcome(so, one, 1), []);
    const bound = (of: Tags) => of.filter((tag) => !isFlat(tag));
    expect(bound(addTags(tags, names, 2))).toEqual(bound(tags));
    expect(bound(removeTags(tags, names))).toEqual(bound(tags));
  });

  test.prop([bindings, bindings])('are in force with what the project adds, each key once', (own, inherited) => {
    const project = { id: 'prj', bindings: addBindings([], inherited, 1).filter((tag) => !isFlat(tag)) };
    const tags = addBindings([], own, 1);
    const effective = effectiveBindings(tags, project);
    expect(effective.slice(0, tags.length)).toEqual(tags);
    const wanted = new Map([...project.bindings, ...tags].map((tag) => [tag.key, tag.value]));
    expect(new Map(effective.map((tag) => [tag.key, tag.value]))).toEqual(wanted);
    expect(effective).toHaveLength(wanted.size);
    for (const { key: one, inheritedFrom } of effective) {
      expect(inheritedFrom).toBe(tags.some((tag) => tag.key === one) ? undefined : 'prj');
    }
  });
});

describe('the ids of tags', () => {
  const organization = 'org-2jPTvTDXBPFzPGbT';

  // Clients keep them: what computes them must never change.
  it('are what they have always been', () => {
    expect(tagId(organization, 'network')).toBe('tag-nMazi5LZfNutQtgb');
    expect(bindingId(organization, 'ws-2jPTvTDXBPFzPGbT', 'env')).toBe('tb-MrrGxeyXXeABNzjR');
    expect(effectiveBindingId(organization, 'ws-2jPTvTDXBPFzPGbT', 'env')).toBe('sJaobTRycJ99hs3N');
  });

  const name = fc.stringMatching(/^[A-Za-z0-9:_-]{1,20}$/);
  test.prop([name, name])('have the form of ids, and tell names, cases and organizations apart', (one, other) => {
    expect(isId('tag', tagId(organization, one))).toBe(true);
    expect(isId('tagBinding', bindingId(organization, 'ws-1', one))).toBe(true);
    expect(tagId(organization, one) === tagId(organization, other)).toBe(one === other);
    expect(tagId(organization, one)).not.toBe(tagId('org-other', one));
    expect(bindingId(organization, 'ws-1', one)).not.toBe(bindingId(organization, 'ws-2', one));
  });

  test.prop([fc.uniqueArray(name, { maxLength: 8 }), name])('lead back to the names that are there', (known, one) => {
    const references = [
      { pointer: '', id: tagId(organization, one) },
      { pointer: '', name: 'given' },
    ];
    expect(namesOf(references, organization, known)).toEqual([known.includes(one) ? one : undefined, 'given']);
    expect(namesOf(references, 'org-other', known)).toEqual([undefined, 'given']);
  });
});
