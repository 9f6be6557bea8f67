import { DomainError } from '../errors.ts';
import { limits } from '../limits.ts';

/**
 * Flat tags and tag bindings, each key once, in the order of their creation (STORE-17, TAG-1). It is a list because
 * `constructor` and `__proto__` are valid tag names, which a map would confuse with inherited members.
 */
export type Tags = readonly Tag[];

/** A flat tag or a tag binding. */
export interface Tag {
  readonly key: string;
  /** Absent for a flat tag. */
  readonly value?: string;
  /** Creation, in milliseconds since the epoch. */
  readonly at: number;
}

/** A tag binding in a request. Without a value it is a flat tag. */
export type Binding = Pick<Tag, 'key' | 'value'>;

/** Tells whether a tag or binding is a flat tag: it has no value. */
export const isFlat = ({ value }: Binding): boolean => value === undefined;

/** Returns the names of the flat tags. */
export const tagNames = (tags: Tags): string[] => tags.filter(isFlat).map(({ key }) => key);

const invalidAt = (pointer: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer } });

const ALPHABET = /^[A-Za-z0-9_.=+@:-]*$/;
const ALPHABET_IN_WORDS = "may only contain letters, numbers, '_', '.', '=', '+', '-', '@' and ':'";
const RESERVED = /^hcp?:/;

const NAME = /^[A-Za-z0-9:_-]*$/;

/**
 * Checks the name of a flat tag (TAG-1).
 * @param pointer JSON pointer to the name in the request.
 * @throws DomainError 422 if the name is invalid.
 */
export const checkTagName = (name: string, pointer: string): void => {
  const reject = (problem: string): never => {
    throw invalidAt(pointer, `Tag name ${problem}`);
  };
  if (name === '') reject("can't be blank");
  if (name.length > limits.tagName) reject(`is too long (maximum is ${limits.tagName} characters)`);
  if (!NAME.test(name)) reject("may only contain letters, numbers, ':', '-' and '_'");
};

/** Returns what is wrong with the key of a tag binding; undefined if it is valid. */
export const bindingKeyProblem = (key: string): string | undefined => {
  if (key === '') return "can't be blank";
  if (key.length > limits.bindingKey) return `is too long (maximum is ${limits.bindingKey} characters)`;
  if (!ALPHABET.test(key)) return ALPHABET_IN_WORDS;
  return RESERVED.test(key) ? "may not begin with 'hc:' or 'hcp:'" : undefined;
};

const valueProblem = (value: string): string | undefined => {
  if (value.length > limits.bindingValue) return `is too long (maximum is ${limits.bindingValue} characters)`;
  return ALPHABET.test(value) ? undefined : ALPHABET_IN_WORDS;
};

/**
 * Checks the bindings of a request and removes repetitions (TAG-2, TAG-16).
 * @param pointer returns the JSON pointer to the attributes of the binding with this index.
 * @throws DomainError 422 for an invalid binding, or for a key with two different values.
 */
export const distinctBindings = (given: readonly Binding[], pointer: (index: number) => string): readonly Binding[] => {
  const values = new Map<string, string | undefined>();
  for (const [index, { key, value }] of given.entries()) {
    const reject = (part: 'key' | 'value', problem: string | undefined): void => {
      if (problem !== undefined) throw invalidAt(`${pointer(index)}/${part}`, `Tag ${part} ${problem}`);
    };
    reject('key', bindingKeyProblem(key));
    reject('value', valueProblem(value ?? ''));
    // A binding without a value is a flat tag, so the rules of tag names apply.
    if (value === undefined) checkTagName(key, `${pointer(index)}/key`);
    reject('value', values.has(key) && values.get(key) !== value ? `of ${key} is given twice, and differs` : undefined);
    values.set(key, value);
  }
  return [...values].map(([key, value]) => binding(key, value));
};

const binding = (key: string, value: string | undefined): Binding => (value === undefined ? { key } : { key, value });

const collectKeys = (tags: readonly Binding[]): Set<string> => new Set(tags.map(({ key }) => key));

/**
 * Adds flat tags. Flat tags that exist already stay unchanged.
 * @param pointer returns the JSON pointer to the element of the request that adds the name with this index.
 * @throws DomainError 422 for a name that is the key of a binding with a value (TAG-8).
 */
export const addTags = (
  tags: Tags,
  names: readonly string[],
  at: number,
  pointer: (index: number) => string = (index) => `/data/${index}`,
): Tags => {
  const known = new Map(tags.map((tag) => [tag.key, tag]));
  for (const [index, name] of names.entries()) {
    const value = known.get(name)?.value;
    if (value !== undefined) {
      const detail = `Tag name ${name} is already the key of a tag binding with the value ${value}. Remove the binding first.`;
      throw invalidAt(pointer(index), detail);
    }
  }
  const added = [...new Set(names)].filter((name) => !known.has(name));
  return [...tags, ...added.map((key) => ({ key, at }))];
};

/** Removes flat tags. Unknown names and bindings with these keys are ignored. */
export const removeTags = (tags: Tags, names: readonly string[]): Tags => {
  const removed = new Set(names);
  return tags.filter((tag) => !(isFlat(tag) && removed.has(tag.key)));
};

/** Adds bindings and updates the values of existing keys, which keep their position and creation time. */
export const addBindings = (tags: Tags, given: readonly Binding[], at: number): Tags => {
  const values = new Map(given.map(({ key, value }) => [key, value]));
  const known = collectKeys(tags);
  const added = [...values.keys()].filter((key) => !known.has(key));
  return [
    ...tags.map((tag) => (values.has(tag.key) ? { ...binding(tag.key, values.get(tag.key)), at: tag.at } : tag)),
    ...added.map((key) => ({ ...binding(key, values.get(key)), at })),
  ];
};

/** Replaces all bindings that have a value. Flat tags stay. */
export const replaceBindings = (tags: Tags, given: readonly Binding[], at: number): Tags => {
  const keys = collectKeys(given);
  return addBindings(
    tags.filter((tag) => isFlat(tag) || keys.has(tag.key)),
    given,
    at,
  );
};

/** A tag binding that applies to a workspace, its own or inherited from the project. */
export interface EffectiveBinding extends Tag {
  /** Id of the project that it is inherited from; absent for the workspace's own. */
  readonly inheritedFrom?: string;
}

/** Returns the bindings of a workspace, and the project bindings whose keys are no binding or flat tag of it (TAG-18). */
export const effectiveBindings = (
  tags: Tags,
  project: { readonly id: string; readonly bindings: Tags },
): readonly EffectiveBinding[] => {
  const own = collectKeys(tags);
  const inherited = project.bindings.filter(({ key }) => !own.has(key));
  return [...tags.filter((tag) => !isFlat(tag)), ...inherited.map((tag) => ({ ...tag, inheritedFrom: project.id }))];
};

/**
 * Checks the number of tags and bindings.
 * @throws DomainError 422 if there are too many, or if a project has flat tags.
 */
export const checkCount = (holder: 'workspace' | 'project', tags: Tags): void => {
  const flat = tags.filter(isFlat).length;
  const tooMany = (most: number, what: string): DomainError =>
    new DomainError('unprocessable', `A ${holder} can have at most ${most} ${what}.`);
  if (holder === 'project' && flat > 0) {
    throw new DomainError('unprocessable', 'The tag bindings of a project need values.');
  }
  if (flat > limits.tags) throw tooMany(limits.tags, 'tags');
  if (tags.length - flat > limits.bindings) throw tooMany(limits.bindings, 'tag bindings with a value');
};
