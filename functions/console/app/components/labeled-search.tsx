import { SearchField, type SearchFieldProps } from './search-field.tsx';

/** Shows a field that searches a list with its label above it, as those of the fields next to it. */
export const LabeledSearch = (props: SearchFieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the field is in it
  <label className="field">
    <span className="field-label">{props.label}</span>
    <SearchField {...props} />
  </label>
);
