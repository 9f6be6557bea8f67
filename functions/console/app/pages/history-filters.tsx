import { SelectField, TextField } from '../components/form.tsx';
import { toWords } from '../lib/words.ts';
import './history-filters.css';
import { type HistorySearch, validateHistorySearch } from '../lib/history-search.ts';

/** Shows the filters of a history. */
export const HistoryFilters = ({
  search,
  actions,
  onChange,
}: {
  readonly search: HistorySearch;
  /** Actions to choose from. */
  readonly actions: readonly string[];
  readonly onChange: (search: HistorySearch) => void;
}) => {
  const field = (name: keyof HistorySearch) => ({
    name,
    value: search[name] ?? '',
    onChange: (value: string) => onChange(validateHistorySearch({ ...search, [name]: value })),
  });
  return (
    <div className="history-filters">
      <TextField {...field('since')} label="Since" type="datetime-local" />
      <TextField {...field('until')} label="Until" type="datetime-local" />
      <SelectField
        {...field('action')}
        label="Action"
        options={[{ value: '', label: 'All' }, ...actions.map((action) => ({ value: action, label: toWords(action) }))]}
      />
      <TextField {...field('actor')} label="Actor" placeholder="user-…" />
    </div>
  );
};
