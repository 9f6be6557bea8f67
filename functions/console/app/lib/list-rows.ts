import { runStatusLabel, toLabel } from './words.ts';

interface Identifier {
  readonly id: string;
}

/** A resource of a list. */
export interface ListedResource extends Identifier {
  readonly type: string;
  readonly attributes: object;
  readonly relationships?: Readonly<Record<string, { readonly data?: Identifier | readonly Identifier[] | null }>>;
}

/** Columns of a file by the names of attributes and relationships: the heading, or what stands below it if it is not the value. */
export type FileColumns = Readonly<
  Record<string, string | { readonly heading: string; readonly cell: (resource: ListedResource) => unknown }>
>;

/** Returns the headings of the columns of a file. */
export const headingsOf = (columns: FileColumns = {}): readonly string[] => [
  ...Object.values(columns).map((column) => (typeof column === 'string' ? column : column.heading)),
  'ID',
];

/** Returns what a list shows of a resource that another one refers to: its name, or the tag, or the status of a run. */
const nameOf = ({ id, type, attributes }: ListedResource): string => {
  const { name, username, email, key, value, status } = attributes as Readonly<Record<string, unknown>>;
  const tag = typeof key === 'string' && typeof value === 'string' && value !== '' ? `${key}=${value}` : key;
  if (type === 'runs' && typeof status === 'string') return runStatusLabel(status);
  const found = [name, username, email, tag].find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found : id;
};

/** Returns what stands in a file for the value of an attribute. Only objects, such as permissions, have no place in a table. */
const toText = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? [value.join(', ')] : [];
  return typeof value === 'object' && value !== null ? [] : [value];
};

/**
 * Converts the resources of a list to rows of a table, with names in place of ids.
 * @param included resources that these refer to
 * @param columns the columns; undefined for all attributes and relationships
 */
export const toFileRows = (
  resources: readonly ListedResource[],
  included: readonly ListedResource[],
  columns: FileColumns | undefined,
): readonly Readonly<Record<string, unknown>>[] => {
  const names = new Map(included.map((resource) => [resource.id, nameOf(resource)]));
  return resources.map((resource) => {
    const { id, attributes, relationships = {} } = resource;
    const values: Readonly<Record<string, readonly unknown[]>> = {
      ...Object.fromEntries(
        Object.entries(relationships).flatMap(([name, { data }]) =>
          data === undefined
            ? []
            : [
                [
                  name,
                  [
                    [data ?? []]
                      .flat()
                      .map((one) => names.get(one.id) ?? one.id)
                      .join(', '),
                  ],
                ],
              ],
        ),
      ),
      ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toText(value)])),
    };
    const order: FileColumns =
      columns ??
      Object.fromEntries([...Object.keys(attributes), ...Object.keys(values)].map((name) => [name, toLabel(name)]));
    return {
      ...Object.fromEntries(
        Object.entries(order).flatMap(([name, column]) =>
          typeof column === 'string'
            ? (values[name] ?? []).map((value) => [column, value])
            : [[column.heading, column.cell(resource)]],
        ),
      ),
      ID: id,
    };
  });
};
