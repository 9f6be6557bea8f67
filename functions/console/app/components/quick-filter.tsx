import { Icon } from './icon.tsx';
import './quick-filter.css';

/** Shows a button that turns a filter on and off, with the number of rows that match. */
export const QuickFilter = ({
  label,
  count,
  isOn,
  onToggle,
}: {
  readonly label: string;
  readonly count?: number | undefined;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
}) => (
  <button type="button" className="quick-filter" aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
    {label}
    {count !== undefined && <span className="quick-filter-count">{count.toLocaleString()}</span>}
    {isOn && <Icon name="close" />}
  </button>
);
