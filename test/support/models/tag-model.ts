import { fc } from '@fast-check/vitest';

/** One tag request for a workspace. A binding without a value is a flat tag. */
export type TagStep =
  | { readonly does: 'add' | 'remove'; readonly names: readonly string[] }
  | { readonly does: 'bind' | 'replace'; readonly given: readonly GivenBinding[] };

export interface GivenBinding {
  readonly key: string;
  readonly value?: string;
}

/** Generates tag requests with names and keys from a small set. */
export const tagSteps = (words: readonly string[]): fc.Arbitrary<TagStep> => {
  const word = fc.constantFrom(...words);
  const binding = fc.tuple(word, fc.option(fc.constantFrom('1', '2'), { nil: undefined }));
  const bindings = fc
    .uniqueArray(binding, { selector: ([key]) => key, maxLength: words.length })
    .map((pairs) => pairs.map(([key, value]) => (value === undefined ? { key } : { key, value })));
  return fc.oneof(
    fc.record({
      does: fc.constantFrom('add' as const, 'remove' as const),
      names: fc.array(word, { maxLength: words.length }),
    }),
    fc.record({ does: fc.constantFrom('bind' as const, 'replace' as const), given: bindings }),
  );
};

/** Reference model of tags: a map from key to value in insertion order. Flat tags have no value. */
export class TagModel extends Map<string, { readonly value: string | undefined; readonly at: number }> {
  private assign(key: string, value: string | undefined, at: number): void {
    this.set(key, { value, at: this.get(key)?.at ?? at });
  }

  flat(): string[] {
    return [...this].filter(([, { value }]) => value === undefined).map(([key]) => key);
  }

  /** Tells whether the step adds a flat tag whose name is the key of a binding with a value (TAG-8). */
  rejects(step: TagStep): boolean {
    return step.does === 'add' && step.names.some((name) => this.get(name)?.value !== undefined);
  }

  take(step: TagStep, at: number): this {
    if (step.does === 'add') {
      for (const name of step.names) if (!this.has(name)) this.assign(name, undefined, at);
    }
    if (step.does === 'remove') {
      for (const name of step.names) if (this.has(name) && this.get(name)?.value === undefined) this.delete(name);
    }
    if (step.does === 'bind' || step.does === 'replace') {
      const given = new Set(step.given.map(({ key }) => key));
      for (const [key, { value }] of [...this]) {
        if (step.does === 'replace' && value !== undefined && !given.has(key)) this.delete(key);
      }
      for (const { key, value } of step.given) this.assign(key, value, at);
    }
    return this;
  }
}
