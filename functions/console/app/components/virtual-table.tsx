import { useElementScrollRestoration, useRouter } from '@tanstack/react-router';
import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { readText, writeText } from '../lib/browser-storage.ts';
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

/** Name of the container, by which the router keeps its position for each entry of the history. */
const SCROLLER_ID = 'rows';

/** Heights of rows that were shown, by entry of the history. With other heights, a position would belong to other rows. */
const knownHeights = new Map<string | undefined, VirtualItem[]>();

/** Name in the storage of the tab for the heights of the tables that were left last, which outlive a reload. */
const STORED_HEIGHTS = 'holdfast.rows';
const STORED_TABLES = 4;

const readHeights = (entry: string | undefined): VirtualItem[] => {
  if (knownHeights.size === 0) {
    const stored = readText('sessionStorage', STORED_HEIGHTS) ?? '[]';
    for (const [left, heights] of JSON.parse(stored)) knownHeights.set(left, heights);
  }
  return knownHeights.get(entry) ?? [];
};

const keepHeights = (entry: string | undefined, heights: VirtualItem[]): void => {
  knownHeights.delete(entry);
  knownHeights.set(entry, heights);
  writeText('sessionStorage', STORED_HEIGHTS, JSON.stringify([...knownHeights].slice(-STORED_TABLES)));
};

/**
 * Returns the visible rows of a virtual table.
 * @param count number of all rows.
 * @param content identity of the content: when it changes, the table starts at the top. When the user comes back to it by the
 * history, it starts where they left it.
 */
export const useVirtualRows = (count: number, content: unknown): VirtualRows => {
  const router = useRouter();
  const entry = router.latestLocation.state.__TSR_key;
  const position = useElementScrollRestoration({ id: SCROLLER_ID })?.scrollY ?? 0;
  const scroller = useRef<HTMLElement>(null);
  const isNarrow = useMediaQuery('(width < 700px)');
  const shown = useRef({ content, isNarrow, entry });
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? CARD_HEIGHT : ROW_HEIGHT),
    overscan: 8,
    initialOffset: position,
    initialMeasurementsCache: readHeights(entry),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the content changes
  useLayoutEffect(() => {
    const former = shown.current;
    if (former.content === content && former.isNarrow === isNarrow) return;
    shown.current = { content, isNarrow, entry };
    // Other content keeps the heights: rows that stay on the page report theirs only when it changes.
    if (former.isNarrow !== isNarrow) virtualizer.measure();
    virtualizer.scrollToOffset(position);
  }, [content, isNarrow, virtualizer]);
  useEffect(() => () => keepHeights(shown.current.entry, virtualizer.takeSnapshot()), [virtualizer]);
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
  // A card is the only cell of its row.
  const [headings, width] = isNarrow ? [0, 1] : [1, columns.length];
  const content = virtualizer.getTotalSize() + headings * HEADER_HEIGHT + BORDERS;
  return (
    <section
      className={`virtual-table ${className}`}
      ref={scroller}
      data-scroll-restoration-id={SCROLLER_ID}
      aria-label={label}
      aria-busy={isStale}
      style={{ '--content-height': `${content}px` } as CSSProperties}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the container scrolls, so it must be reachable by keyboard
      tabIndex={0}
    >
      <table
        aria-label={label}
        className={isNarrow ? 'virtual-cards' : undefined}
        aria-rowcount={virtualizer.options.count + headings}
      >
        {!isNarrow && (
          <thead>
            <tr aria-rowindex={1}>
              {columns.map(({ name, className: columnClass, heading, sorted }) => (
                <th key={name} scope="col" className={columnClass} aria-sort={sorted}>
                  {heading ?? name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          <Spacer height={before} columns={width} />
          {items.map(({ index, key }) => {
            const row = rowAt(index);
            return (
              <tr key={key} aria-rowindex={index + 1 + headings} data-index={index} ref={virtualizer.measureElement}>
                {row === undefined ? (
                  <td colSpan={width}>
                    <span className="skeleton-line virtual-loading" />
                  </td>
                ) : isNarrow ? (
                  <td>
                    <div className="virtual-card">{card(row, index)}</div>
                  </td>
                ) : (
                  columns.map(({ name, className: columnClass, isRowName, cell }) =>
                    isRowName ? (
                      <th key={name} scope="row" className={columnClass}>
                        {toVisible(cell(row, index))}
                      </th>
                    ) : (
                      <td key={name} className={columnClass}>
                        {toVisible(cell(row, index))}
                      </td>
                    ),
                  )
                )}
              </tr>
            );
          })}
          <Spacer height={after} columns={width} />
        </tbody>
      </table>
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
