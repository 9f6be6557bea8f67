import './form.css';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  readonly label: string;
  /** Whether the label stands above the field, as those of the fields next to it. */
  readonly isLabelShown?: boolean;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Shows a field that searches a list while the user types. The key / gives it the focus. */
export const SearchField = ({ label, isLabelShown = false, placeholder, value, onChange }: SearchFieldProps) => {
  const field = (
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
  return isLabelShown ? (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is in it
    <label className="field">
      <span className="field-label">{label}</span>
      {field}
    </label>
  ) : (
    field
  );
};
