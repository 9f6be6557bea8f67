/** A value that differs between two versions of a resource. */
export interface Change {
  readonly name: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Compares the attributes of two versions of a resource. `ignored` are names of attributes that say nothing to the user. */
export const compareAttributes = (
  old: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
  ignored: readonly string[] = ['updated-at', 'permissions', 'actions', 'version-id'],
): readonly Change[] =>
  Object.keys({ ...old, ...current })
    .filter((name) => !ignored.includes(name) && JSON.stringify(old[name]) !== JSON.stringify(current[name]))
    .map((name) => ({ name, old: old[name], new: current[name] }));

/** Formats a value of an attribute in one line. */
export const formatValue = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Splits a change of an object into the changes of its members, so that only what differs is shown. */
export const expandChange = (change: Change): readonly Change[] => {
  const [old, current] = [change.old ?? {}, change.new ?? {}];
  const isObject = isPlainObject(change.old) || isPlainObject(change.new);
  if (!isObject || !isPlainObject(old) || !isPlainObject(current)) return [change];
  return compareAttributes(old, current, []).map((part) => ({ ...part, name: `${change.name} ${part.name}` }));
};
