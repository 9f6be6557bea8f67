import './form.css';
import { Icon } from './icon.tsx';

export interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Shows a field that searches a list while the user types. The key / gives it the focus. */
export const SearchField = ({ label, placeholder, value, onChange }: SearchFieldProps) => (
  <span className="search-field">
    <Icon name="search" />
    <input
      type="search"
      className="input"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </span>
);
