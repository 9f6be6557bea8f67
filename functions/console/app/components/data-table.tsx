import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatValue } from '../lib/compare.ts';
import { toLabel } from '../lib/words.ts';
import './data-table.css';
import { Time } from './time.tsx';
import { toVisible } from './visible-text.tsx';

/** A column of a table. */
export interface Column<R> {
  readonly name: string;
  /** The heading is read by screen readers only, as for a column of buttons. */
  readonly isNameHidden?: boolean;
  readonly isNumber?: boolean;
  /** Null or undefined for nothing, which is shown as a dash, and not on cards. */
  readonly cell: (row: R) => ReactNode;
}

/** A resource of the API. */
export interface Resource {
  readonly id: string;
  readonly attributes: object;
}

/**
 * Columns of a list, by the attributes of its resources: `true` for the label and the value of the attribute, false for an
 * attribute without a column. A new attribute of the API is a type error until it is here. All other names are headings.
 */
export type AttributeColumns<R extends Resource, Omitted = never> = {
  readonly [A in Exclude<keyof R['attributes'], Omitted>]: boolean | Partial<Column<R>>;
} & { readonly [heading: string]: boolean | Partial<Column<R>> };

const showValue = (name: string, value: unknown): ReactNode => {
  if (typeof value === 'number') return value.toLocaleString();
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return null;
  return typeof value === 'string' && /[-_]at$/.test(name) ? <Time value={value} /> : formatValue(value, name);
};

/** Returns the columns of a table for attributes. */
export const toColumns = <R extends Resource>(columns: AttributeColumns<R>): readonly Column<R>[] =>
  Object.entries(columns).flatMap(([name, column]) =>
    column === false
      ? []
      : [
          {
            name: toLabel(name),
            cell: ({ attributes }: R) => showValue(name, (attributes as Readonly<Record<string, unknown>>)[name]),
            ...(column !== true && column),
          },
        ],
  );

interface DataTableProps<R> {
  /** Name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => string;
}

/** Cards are blocks, which have no roles of their own: these keep the table for screen readers at each width. */
const roles = {
  table: 'table',
  rows: 'rowgroup',
  row: 'row',
  columnName: 'columnheader',
  rowName: 'rowheader',
  cell: 'cell',
} as const;

const scrollTo = (row: HTMLElement | null) => row?.scrollIntoView({ block: 'nearest' });

/**
 * Shows rows as a table that scrolls inside its own container. The first column is the name of each row. On narrow screens,
 * each row is a card. The row whose key is the fragment of the address is marked.
 */
export const DataTable = <R,>({ label, columns, rows, rowKey }: DataTableProps<R>) => {
  const marked = useRouterState({ select: ({ location }) => location.hash });
  return (
    // The container scrolls, so it must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className="data-table" aria-label={label} tabIndex={0}>
      <table role={roles.table} aria-label={label}>
        <thead role={roles.rows}>
          <tr role={roles.row}>
            {columns.map(({ name, isNameHidden, isNumber }) => (
              <th key={name} role={roles.columnName} scope="col" className={isNumber ? 'number' : undefined}>
                {isNameHidden ? <span className="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={roles.rows}>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              role={roles.row}
              {...(rowKey(row) === marked && { 'aria-current': true, ref: scrollTo })}
            >
              {columns.map(({ name, isNameHidden, isNumber, cell }, index) => {
                const className = isNumber ? 'number' : undefined;
                return index === 0 ? (
                  <th key={name} role={roles.rowName} scope="row">
                    {toVisible(cell(row))}
                  </th>
                ) : (
                  <td key={name} role={roles.cell} className={className} data-label={isNameHidden ? undefined : name}>
                    {toVisible(cell(row))}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
