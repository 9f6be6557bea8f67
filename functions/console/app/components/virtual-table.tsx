import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useMediaQuery } from '../lib/use-media-query.ts';
import './virtual-table.css';
import { toVisible } from './visible-text.tsx';

const ROW_HEIGHT = 44;
const CARD_HEIGHT = 112;
const HEADER_HEIGHT = 40;
const BORDERS = 2;

/** Rows of a virtual table: which are visible, and whether they are shown as cards. */
export interface VirtualRows {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtualizer: Virtualizer<HTMLElement, Element>;
  readonly isNarrow: boolean;
}

/**
 * Returns the visible rows of a virtual table.
 * @param count number of all rows.
 * @param content identity of the content: when it changes, the table starts at the top.
 */
export const useVirtualRows = (count: number, content: unknown): VirtualRows => {
  const scroller = useRef<HTMLElement>(null);
  const isNarrow = useMediaQuery('(width < 700px)');
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? CARD_HEIGHT : ROW_HEIGHT),
    overscan: 8,
  });
  // Other content keeps the heights: rows that stay on the page report theirs only when it changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards have other heights than rows
  useEffect(() => virtualizer.measure(), [isNarrow, virtualizer]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when one of them changes
  useEffect(() => virtualizer.scrollToOffset(0), [content, isNarrow, virtualizer]);
  return { scroller, virtualizer, isNarrow };
};

/** A column of a virtual table. */
export interface VirtualColumn<R> {
  readonly name: string;
  /** Class with the width of the column. */
  readonly className: string;
  /** Content of the heading in place of the name, such as a checkbox. */
  readonly heading?: ReactNode;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  /** The cell names the row. */
  readonly isRowName?: boolean;
  readonly cell: (row: R, index: number) => ReactNode;
}

interface VirtualTableProps<R> {
  /** Name of the table for screen readers. */
  readonly label: string;
  readonly rows: VirtualRows;
  readonly columns: readonly VirtualColumn<R>[];
  /** Returns a row, or undefined while it is not loaded. */
  readonly rowAt: (index: number) => R | undefined;
  /** Shows a row on narrow screens. */
  readonly card: (row: R, index: number) => ReactNode;
  /** The rows are out of date, and others are loading. */
  readonly isStale?: boolean;
  readonly className?: string;
}

/**
 * Shows many rows as a table, of which only the visible ones are drawn. It scrolls inside its own container, whose largest
 * height the page has to set. With fewer rows it is as high as its content. On narrow screens, each row is a card.
 */
export const VirtualTable = <R,>({
  label,
  rows: { scroller, virtualizer, isNarrow },
  columns,
  rowAt,
  card,
  isStale = false,
  className = '',
}: VirtualTableProps<R>) => {
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const content = virtualizer.getTotalSize() + (isNarrow ? 0 : HEADER_HEIGHT) + BORDERS;
  return (
    <section
      className={`virtual-table ${className}`}
      ref={scroller}
      aria-label={label}
      aria-busy={isStale}
      style={{ '--content-height': `${content}px` } as CSSProperties}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the container scrolls, so it must be reachable by keyboard
      tabIndex={0}
    >
      {isNarrow ? (
        <>
          <div style={{ height: before }} />
          <ul>
            {items.map(({ index, key }) => {
              const row = rowAt(index);
              return (
                <li key={key} className="virtual-card" data-index={index} ref={virtualizer.measureElement}>
                  {row === undefined ? <span className="skeleton-line virtual-loading" /> : card(row, index)}
                </li>
              );
            })}
          </ul>
          <div style={{ height: after }} />
        </>
      ) : (
        <table aria-rowcount={virtualizer.options.count + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map(({ name, className: width, heading, sorted }) => (
                <th key={name} scope="col" className={width} aria-sort={sorted}>
                  {heading ?? name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer height={before} columns={columns.length} />
            {items.map(({ index, key }) => {
              const row = rowAt(index);
              return (
                <tr key={key} aria-rowindex={index + 2} data-index={index} ref={virtualizer.measureElement}>
                  {row === undefined ? (
                    <td colSpan={columns.length}>
                      <span className="skeleton-line virtual-loading" />
                    </td>
                  ) : (
                    columns.map(({ name, className: width, isRowName, cell }) =>
                      isRowName ? (
                        <th key={name} scope="row" className={width}>
                          {toVisible(cell(row, index))}
                        </th>
                      ) : (
                        <td key={name} className={width}>
                          {toVisible(cell(row, index))}
                        </td>
                      ),
                    )
                  )}
                </tr>
              );
            })}
            <Spacer height={after} columns={columns.length} />
          </tbody>
        </table>
      )}
    </section>
  );
};

/** Takes the place of the rows that are not drawn. */
const Spacer = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height > 0 ? (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in the row can have the focus
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  ) : null;
