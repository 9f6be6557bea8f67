import { DomainError } from './errors.ts';
import { limits } from './limits.ts';

/**
 * Flat tags and key-value bindings in one, each key once, in the order in which they came (spec 2.4, contract 4.3,
 * 4.4). A list, because `constructor` and `__proto__` are good names of tags, and bad ones in a map.
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

const invalidAt = (pointer: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer } });

const ALPHABET = /^[A-Za-z0-9_.=+@:-]*$/;
const ALPHABET_IN_WORDS = "may only contain letters, numbers, '_', '.', '=', '+', '-', '@' and ':'";
const RESERVED = /^hcp?:/;

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
 * The bindings of a request, each key once (contract 4.4). `pointer` points at the attributes of one in the request.
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
    refuse('value', values.has(key) && values.get(key) !== value ? `of ${key} is given twice, and differs` : undefined);
    values.set(key, value);
  }
  return [...values].map(([key, value]) => binding(key, value));
};

const binding = (key: string, value: string | undefined): Binding => (value === undefined ? { key } : { key, value });

/**
 * The bindings given take the place of all that have a value. What stays keeps its place, and the time at which it
 * came.
 */
export const replaceBindings = (tags: Tags, given: readonly Binding[], at: number): Tags => {
  const values = new Map(given.map(({ key, value }) => [key, value]));
  const known = new Set(tags.map(({ key }) => key));
  return [
    ...tags
      .filter((tag) => isFlat(tag) || values.has(tag.key))
      .map((tag) => (values.has(tag.key) ? { ...binding(tag.key, values.get(tag.key)), at: tag.at } : tag)),
    ...given.filter(({ key }) => !known.has(key)).map((one) => ({ ...one, at })),
  ];
};

/** @throws DomainError 422 when there are more than a workspace, or a project, may carry. */
export const checkCount = (holder: 'workspace' | 'project', tags: Tags): void => {
  const flat = tags.filter(isFlat).length;
  const tooMany = (most: number, what: string): DomainError =>
    new DomainError('unprocessable', `A ${holder} can have at most ${most} ${what}.`);
  if (flat > limits.tags) throw tooMany(limits.tags, 'tags');
  if (tags.length - flat > limits.bindings) throw tooMany(limits.bindings, 'tag bindings with a value');
};
