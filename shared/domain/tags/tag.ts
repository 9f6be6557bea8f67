import { DomainError } from '../errors.ts';
import { limits } from '../limits.ts';

/**
 * Flat tags and key-value bindings in one, each key once, in the order in which they came (STORE-17, TAG-1). A list,
 * because `constructor` and `__proto__` are good names of tags, and bad ones in a map.
 */
export type Tags = readonly Tag[];
export interface Tag {
  readonly key: string;
  /** Absent: a flat tag. */
  readonly value?: string;
  readonly at: number;
}

/** What a request binds: a key to a value; without one it is a flat tag. */
export type Binding = Pick<Tag, 'key' | 'value'>;

export const isFlat = ({ value }: Binding): boolean => value === undefined;

/** Names of flat tags, as workspaces show them. */
export const tagNames = (tags: Tags): string[] => tags.filter(isFlat).map(({ key }) => key);

const invalidAt = (pointer: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer } });

const ALPHABET = /^[A-Za-z0-9_.=+@:-]*$/;
const ALPHABET_IN_WORDS = "may only contain letters, numbers, '_', '.', '=', '+', '-', '@' and ':'";
const RESERVED = /^hcp?:/;

const NAME = /^[A-Za-z0-9:_-]*$/;

/** @throws DomainError 422 for what cannot be the name of a flat tag (TAG-1); `pointer` points at it in the request. */
export const checkTagName = (name: string, pointer: string): void => {
  const refuse = (problem: string): never => {
    throw invalidAt(pointer, `Tag name ${problem}`);
  };
  if (name === '') refuse("can't be blank");
  if (name.length > limits.tagName) refuse(`is too long (maximum is ${limits.tagName} characters)`);
  if (!NAME.test(name)) refuse("may only contain letters, numbers, ':', '-' and '_'");
};

const keyProblem = (key: string): string | undefined => {
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
 * The bindings of a request, each key once (TAG-2, TAG-16). `pointer` points at the attributes of one in the request.
 * @throws DomainError 422.
 */
export const distinctBindings = (given: readonly Binding[], pointer: (index: number) => string): readonly Binding[] => {
  const values = new Map<string, string | undefined>();
  for (const [index, { key, value }] of given.entries()) {
    const refuse = (part: 'key' | 'value', problem: string | undefined): void => {
      if (problem !== undefined) throw invalidAt(`${pointer(index)}/${part}`, `Tag ${part} ${problem}`);
    };
    refuse('key', keyProblem(key));
    refuse('value', valueProblem(value ?? ''));
    // Without a value it is a flat tag, and named like one.
    if (value === undefined) checkTagName(key, `${pointer(index)}/key`);
    refuse('value', values.has(key) && values.get(key) !== value ? `of ${key} is given twice, and differs` : undefined);
    values.set(key, value);
  }
  return [...values].map(([key, value]) => binding(key, value));
};

const binding = (key: string, value: string | undefined): Binding => (value === undefined ? { key } : { key, value });

const collectKeys = (tags: readonly Binding[]): Set<string> => new Set(tags.map(({ key }) => key));

/** Adds flat tags; a key that is there stays as it is, a binding too. */
export const addTags = (tags: Tags, names: readonly string[], at: number): Tags => {
  const known = collectKeys(tags);
  const added = [...new Set(names)].filter((name) => !known.has(name));
  return [...tags, ...added.map((key) => ({ key, at }))];
};

/** Takes flat tags away; what is not there is passed over, and so is a binding of that key. */
export const removeTags = (tags: Tags, names: readonly string[]): Tags => {
  const removed = new Set(names);
  return tags.filter((tag) => !(isFlat(tag) && removed.has(tag.key)));
};

/** Adds bindings, or gives keys that are there their values; what stays keeps its place, and when it came. */
export const addBindings = (tags: Tags, given: readonly Binding[], at: number): Tags => {
  const values = new Map(given.map(({ key, value }) => [key, value]));
  const known = collectKeys(tags);
  const added = [...values.keys()].filter((key) => !known.has(key));
  return [
    ...tags.map((tag) => (values.has(tag.key) ? { ...binding(tag.key, values.get(tag.key)), at: tag.at } : tag)),
    ...added.map((key) => ({ ...binding(key, values.get(key)), at })),
  ];
};

/** The bindings given take the place of all that have a value; flat tags stay. */
export const replaceBindings = (tags: Tags, given: readonly Binding[], at: number): Tags => {
  const keys = collectKeys(given);
  return addBindings(
    tags.filter((tag) => isFlat(tag) || keys.has(tag.key)),
    given,
    at,
  );
};

export interface EffectiveBinding extends Tag {
  /** The project that passes it on; absent: the workspace's own. */
  readonly inheritedFrom?: string;
}

/** A workspace's own tags and bindings, and those of its project whose keys it does not have itself. */
export const effectiveBindings = (
  tags: Tags,
  project: { readonly id: string; readonly bindings: Tags },
): readonly EffectiveBinding[] => {
  const own = collectKeys(tags);
  const inherited = project.bindings.filter(({ key }) => !own.has(key));
  return [...tags, ...inherited.map((tag) => ({ ...tag, inheritedFrom: project.id }))];
};

/**
 * @throws DomainError 422 when there are more than a workspace may carry, or a project, which takes no flat tags at
 * all.
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
