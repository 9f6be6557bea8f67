import type { AttributeName } from './types.ts';

/** A value that differs between two versions of a resource. */
export interface Change {
  readonly name: string;
  readonly old: unknown;
  readonly new: unknown;
}

const ownValue = (values: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** Compares the attributes of two versions of a resource. */
export const compareAttributes = (
  old: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): readonly Change[] =>
  Object.keys({ ...old, ...current })
    .map((name) => ({ name, old: ownValue(old, name), new: ownValue(current, name) }))
    .filter((change) => JSON.stringify(change.old) !== JSON.stringify(change.new));

/** Attributes that say nothing to the user, or are other names of an attribute. */
const ignored: readonly string[] = [
  'updated-at',
  'permissions',
  'actions',
  'version-id',
  'terraform-version',
  'operations',
] satisfies AttributeName[];

/** Removes changes that say nothing to the user, such as a change of the version in force to the version that was set. */
export const withoutRepetitions = <C extends Change>(changes: readonly C[]): readonly C[] => {
  const version = changes.find(({ name }) => name === 'infra-version')?.new;
  return changes.filter(
    ({ name, new: value }) => !ignored.includes(name) && !(name === 'infra-version-resolved' && value === version),
  );
};

/** Returns whether a value is an object with members, neither null nor a list. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Splits a change of an object into the changes of its members, so that only what differs is shown. */
export const expandChange = (change: Change): readonly Change[] => {
  const [old, current] = [change.old ?? {}, change.new ?? {}];
  const isObject = isPlainObject(change.old) || isPlainObject(change.new);
  if (!isObject || !isPlainObject(old) || !isPlainObject(current)) return [change];
  const parts = compareAttributes(old, current);
  // Nothing became an object without members.
  return parts.length === 0 ? [change] : parts.map((part) => ({ ...part, name: `${change.name} ${part.name}` }));
};
