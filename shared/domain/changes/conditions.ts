/**
 * Conditional writes as values: what must hold of an item, and what then changes on it. The store turns them into
 * DynamoDB's expressions; the functions at the end give them the same meaning in memory, so that a transition can be
 * explored without a database. A test holds the two against each other on the real engine.
 */

/** Attribute names, with dots between levels: `lock.id`. */
type Path = string;
type Scalar = string | number | boolean | null;
/** An item, or a part of one, as plain data. */
export type Image = Readonly<Record<string, unknown>>;

export type Condition =
  | { readonly kind: 'exists' | 'absent'; readonly path: Path }
  | { readonly kind: 'equals' | 'differs' | 'below'; readonly path: Path; readonly value: Scalar }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] };

export const exists = (path: Path): Condition => ({ kind: 'exists', path });
export const absent = (path: Path): Condition => ({ kind: 'absent', path });
export const equals = (path: Path, value: Scalar): Condition => ({ kind: 'equals', path, value });
/** True also where there is no such attribute, as in DynamoDB. */
export const differs = (path: Path, value: Scalar): Condition => ({ kind: 'differs', path, value });
export const below = (path: Path, value: number): Condition => ({ kind: 'below', path, value });
export const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of });
export const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of });

export interface Change {
  readonly set?: Readonly<Record<Path, unknown>>;
  /** Adds to a number that exists. */
  readonly add?: Readonly<Record<Path, number>>;
  readonly remove?: readonly Path[];
}

export const merge = (...changes: readonly Change[]): Change => ({
  set: Object.assign({}, ...changes.map((change) => change.set)),
  add: Object.assign({}, ...changes.map((change) => change.add)),
  remove: [...new Set(changes.flatMap((change) => change.remove ?? []))],
});

/** A part of a map by its own key; lists have no names in them. */
const child = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? (value as Image)[key]
    : undefined;

const read = (image: Image | undefined, path: Path): unknown => path.split('.').reduce<unknown>(child, image);

/** Whether an image, or the lack of one, meets a condition. */
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
    case 'below': {
      const value = read(image, condition.path);
      return typeof value === 'number' && typeof condition.value === 'number' && value < condition.value;
    }
  }
};

const write = (image: Image, [key = '', ...rest]: readonly string[], change: (value: unknown) => unknown): Image => {
  const value = rest.length === 0 ? change(image[key]) : write((image[key] ?? {}) as Image, rest, change);
  const { [key]: _, ...others } = image;
  return value === undefined ? others : { ...others, [key]: value };
};

/** The image after a change; the given one stays as it is. */
export const applyChange = (change: Change, image: Image): Image => {
  let result = image;
  for (const [path, value] of Object.entries(change.set ?? {})) result = write(result, path.split('.'), () => value);
  for (const [path, by] of Object.entries(change.add ?? {})) {
    result = write(result, path.split('.'), (value) => (value as number) + by);
  }
  for (const path of change.remove ?? []) result = write(result, path.split('.'), () => undefined);
  return result;
};
