import { Button } from './button.tsx';
import type { Column } from './data-table.tsx';
import { Menu } from './menu.tsx';

/** Largest number of actions that stand next to each other. More of them are in a menu. */
const BUTTONS = 2;

/** An action on each row of a table. */
export interface RowButton<R> {
  readonly label: string;
  readonly isDangerous?: boolean;
  /** Reason why it cannot be used. */
  readonly disabledReason?: ((row: R) => string | undefined) | undefined;
  readonly onClick: (row: R) => void;
}

/**
 * Builds the column with the actions of each row.
 * @param nameOf name of a row, with which screen readers tell the buttons apart
 */
export const actionColumn = <R,>(nameOf: (row: R) => string, buttons: readonly RowButton<NoInfer<R>>[]): Column<R> => ({
  name: 'Actions',
  isNameHidden: true,
  cell: (row) => (
    <span className="row-actions">
      {buttons.length > BUTTONS ? (
        <Menu
          trigger={<Button look="quiet" icon="more" label={`Actions on ${nameOf(row)}`} />}
          entries={buttons.map(({ label, isDangerous = false, disabledReason, onClick }) => ({
            kind: 'item',
            label,
            isDangerous,
            disabledReason: disabledReason?.(row),
            onSelect: () => onClick(row),
          }))}
        />
      ) : (
        buttons.map(({ label, isDangerous = false, disabledReason, onClick }) => (
          <Button
            key={label}
            look={isDangerous ? 'quiet-danger' : 'quiet'}
            aria-label={`${label} ${nameOf(row)}`}
            disabledReason={disabledReason?.(row)}
            onClick={() => onClick(row)}
          >
            {label}
          </Button>
        ))
      )}
    </span>
  ),
});
