/**
 * Conditional writes as values: a condition on an item, and a change of it. The store renders them as DynamoDB
 * expressions. `satisfies` and `applyChange` evaluate them in memory, so that transitions can be explored without a
 * database. A test compares both on the real engine.
 */

/** Path of an attribute, with dots between levels: `lock.id`. */
type Path = string;
type Scalar = string | number | boolean | null;
/** An item or a part of one, as it was read. */
export type Image = Readonly<Record<string, unknown>>;

/** A condition on an item. */
export type Condition =
  | { readonly kind: 'exists' | 'absent'; readonly path: Path }
  | { readonly kind: 'equals' | 'differs' | 'below' | 'atLeast'; readonly path: Path; readonly value: Scalar }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] };

/** Condition that the attribute exists. */
export const exists = (path: Path): Condition => ({ kind: 'exists', path });
/** Condition that the attribute does not exist. */
export const absent = (path: Path): Condition => ({ kind: 'absent', path });
/** Condition that the attribute has this value. */
export const equals = (path: Path, value: Scalar): Condition => ({ kind: 'equals', path, value });
/** Condition that an attribute is as it was read: it has this value, or is absent if the value is undefined. */
export const unchanged = (path: Path, value: Scalar | undefined): Condition =>
  value === undefined ? absent(path) : equals(path, value);
/** Condition that the attribute has another value or, as in DynamoDB, does not exist. */
export const differs = (path: Path, value: Scalar): Condition => ({ kind: 'differs', path, value });
/** Condition that the attribute is a number below this value. */
export const below = (path: Path, value: number): Condition => ({ kind: 'below', path, value });
/** Condition that the attribute is a number of at least this value. */
export const atLeast = (path: Path, value: number): Condition => ({ kind: 'atLeast', path, value });
/** Condition that all of these hold. */
export const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of });
/** Condition that one of these holds. */
export const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of });

/** A change of an item: attributes to set, to add to and to remove. */
export interface Change {
  readonly set?: Readonly<Record<Path, unknown>>;
  /** Amounts to add to existing numbers. */
  readonly add?: Readonly<Record<Path, number>>;
  /** Counters of the item to increment by one. A counter that does not exist yet starts at 0. */
  readonly count?: readonly string[];
  readonly remove?: readonly Path[];
}

/** Merges changes into one. Where several set an attribute, the last one applies. */
export const merge = (...changes: readonly Change[]): Change => {
  const count = [...new Set(changes.flatMap((change) => change.count ?? []))];
  return {
    set: Object.assign({}, ...changes.map((change) => change.set)),
    add: Object.assign({}, ...changes.map((change) => change.add)),
    ...(count.length > 0 && { count }),
    remove: [...new Set(changes.flatMap((change) => change.remove ?? []))],
  };
};

/** Combines two changes that are applied one after the other. The second one does not change members of what the first one sets. */
export const compose = (first: Change, second: Change): Change => {
  const [set, remove] = [second.set ?? {}, second.remove ?? []];
  const add = new Map(Object.entries(first.add ?? {}));
  for (const [path, by] of Object.entries(second.add ?? {})) add.set(path, (add.get(path) ?? 0) + by);
  const kept = Object.entries(first.set ?? {}).filter(([path]) => !remove.includes(path));
  return {
    set: { ...Object.fromEntries(kept), ...set },
    add: Object.fromEntries(add),
    remove: [...new Set([...(first.remove ?? []).filter((path) => !Object.hasOwn(set, path)), ...remove])],
  };
};

/** Returns a member of a map. Inherited members and members of lists do not count. */
const child = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? (value as Image)[key]
    : undefined;

const read = (image: Image | undefined, path: Path): unknown => path.split('.').reduce<unknown>(child, image);

/** Evaluates a condition on an image; undefined stands for a missing item. */
export const satisfies = (condition: Condition, image: Image | undefined): boolean => {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((part) => satisfies(part, image));
    case 'any':
      return condition.of.some((part) => satisfies(part, image));
    case 'exists':
      return read(image, condition.path) !== undefined;
    case 'absent':
      return read(image, condition.path) === undefined;
    case 'equals':
      return read(image, condition.path) === condition.value;
    case 'differs':
      return read(image, condition.path) !== condition.value;
    case 'below':
    case 'atLeast': {
      const value = read(image, condition.path);
      if (typeof value !== 'number' || typeof condition.value !== 'number') return false;
      return condition.kind === 'below' ? value < condition.value : value >= condition.value;
    }
  }
};

const write = (image: Image, [key = '', ...rest]: readonly string[], change: (value: unknown) => unknown): Image => {
  const value = rest.length === 0 ? change(image[key]) : write((image[key] ?? {}) as Image, rest, change);
  const { [key]: _, ...others } = image;
  return value === undefined ? others : { ...others, [key]: value };
};

/** Returns a copy of an image with a change applied. */
export const applyChange = <I extends object>(change: Change, image: I): I => {
  const result = { ...image } as Record<string, unknown>;
  const apply = (path: string, changeValue: (value: unknown) => unknown): void => {
    const levels = path.split('.');
    const [name = ''] = levels;
    const value = write({ [name]: result[name] }, levels, changeValue)[name];
    if (value === undefined) delete result[name];
    else result[name] = value;
  };
  for (const [path, value] of Object.entries(change.set ?? {})) apply(path, () => value);
  for (const [path, by] of Object.entries(change.add ?? {})) apply(path, (value) => (value as number) + by);
  for (const name of change.count ?? []) apply(name, (value) => Number(value ?? 0) + 1);
  for (const path of change.remove ?? []) apply(path, () => undefined);
  return result as I;
};
